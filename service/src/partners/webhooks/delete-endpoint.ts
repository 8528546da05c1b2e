import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import type { EndpointOwner } from "./endpoint.ts";
import { dropPending, markDeleted, selectEndpoint } from "./endpoint-sql.ts";

/** Deletes an endpoint and its secrets permanently. `owner`: null for any. */
export async function deleteEndpoint(
	tx: Query,
	owner: EndpointOwner | null,
	endpointId: string,
): Promise<{ readonly ok: true } | Refusal<"not_found">> {
	if ((await selectEndpoint(tx, owner, endpointId, true)) === null) return NO_ENDPOINT;
	await dropPending(tx, endpointId);
	await markDeleted(tx, endpointId);
	return { ok: true };
}
