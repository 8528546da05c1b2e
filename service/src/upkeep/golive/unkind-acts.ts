import { UNKIND_FIELD, unkindKindOf } from "../../ground/lib/unkind.ts";
import { isDone, isToRun, memberAt } from "./content.ts";
import type { FactRequest, UnkindHour, Unkindness } from "./facts.ts";

/**
 * The faults that the unkind sandbox injected. They are not stored, but follow from the ids of the requests. If the id
 * calls for one, but the request was answered as usual, for instance with a refusal or a page, there was none. A reply
 * whose body is not in the log does not count, because it is not known whether it had the additional field.
 */
export const actsOn = (requests: readonly FactRequest[], { from, to }: Pick<UnkindHour, "from" | "to">): Unkindness[] =>
	requests.flatMap((request) => {
		const isIn = request.at >= from && (to === null || request.at <= to);
		const kind = isIn && !isToRun(request) ? actOf(request) : null;
		return kind === null ? [] : [{ at: request.at, id: request.requestId, kind }];
	});

function actOf(request: FactRequest): Unkindness["kind"] | null {
	const kind = unkindKindOf(request.requestId);
	if (kind === null) return null;
	if (kind === "new_field") {
		return isDone(request) && memberAt(request.reply, "data", UNKIND_FIELD) !== undefined ? kind : null;
	}
	// an operation without `retry` is refused with 429
	return request.code === "rate_limited" || request.code === kind ? request.code : null;
}
