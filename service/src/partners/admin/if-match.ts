import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { NO_DATES } from "../http/api-date.ts";
import { etagOf, matches } from "../http/etag.ts";
import { actorOf, type Operator } from "./operator.ts";

/**
 * Refuses `changed_meanwhile` unless `If-Match` is the ETag that a read by this operator has for `data` (operator
 * contract, section 3).
 */
export function refuseChanged(ifMatch: string, operator: Operator, data: unknown): Refusal<"changed_meanwhile"> | null {
	const etag = etagOf(JSON.stringify({ data }), undefined, actorOf(operator), NO_DATES.current.date);
	if (matches(ifMatch, etag)) return null;
	return refuse("changed_meanwhile", "The object has changed since the read whose ETag is in If-Match: read it again.");
}
