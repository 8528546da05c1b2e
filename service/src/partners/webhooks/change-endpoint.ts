import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { EndpointDeps } from "./create-endpoint.ts";
import {
	type ChosenEventType,
	type Endpoint,
	type EndpointOwner,
	type InactiveReason,
	orderedTypes,
} from "./endpoint.ts";
import { dropPending, selectEndpoint, updateEndpoint } from "./endpoint-sql.ts";
import { refuseUrl } from "./refuse-url.ts";

/** The fields to change; absent fields keep their values. */
export interface EndpointChange {
	readonly url?: string | undefined;
	readonly eventTypes?: readonly ChosenEventType[] | undefined;
	readonly description?: string | null | undefined;
	readonly status?: "active" | "inactive" | undefined;
}

/** For an id that does not exist or belongs to another owner. */
export const NO_ENDPOINT = refuse("not_found", "There is no webhook endpoint with this id.");

/** Changes an endpoint. `by`: who makes it inactive, if the change does. Deactivation drops its pending deliveries. */
export async function changeEndpoint(
	{ db, urls }: Pick<EndpointDeps, "db" | "urls">,
	owner: EndpointOwner | null,
	endpointId: string,
	change: EndpointChange,
	by: Extract<InactiveReason, "partner" | "operator">,
): Promise<Endpoint | Refusal<"invalid_input" | "not_found" | "rate_limited">> {
	if ((await selectEndpoint(db, owner, endpointId)) === null) return NO_ENDPOINT;
	const refusal = change.url === undefined ? undefined : await refuseUrl(urls, change.url, owner?.partnerId ?? "");
	if (refusal) return refusal;
	return await transaction(db, async (tx) => {
		const before = await selectEndpoint(tx, owner, endpointId, true);
		if (before === null) return NO_ENDPOINT;
		const inactiveReason = reasonAfter(before.inactiveReason, change.status, by);
		if (inactiveReason !== null) await dropPending(tx, endpointId);
		return await updateEndpoint(tx, {
			endpointId,
			url: change.url ?? before.url,
			eventTypes: change.eventTypes === undefined ? before.eventTypes : orderedTypes(change.eventTypes),
			description: change.description === undefined ? before.description : change.description,
			inactiveReason,
		});
	});
}

function reasonAfter(
	before: InactiveReason | null,
	status: EndpointChange["status"],
	by: InactiveReason,
): InactiveReason | null {
	if (status === undefined) return before;
	return status === "active" ? null : (before ?? by);
}
