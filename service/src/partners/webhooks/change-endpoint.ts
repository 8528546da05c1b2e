import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Within } from "../keys/carry-out-write.ts";
import type { EndpointDeps } from "./create-endpoint.ts";
import {
	type ChosenEventType,
	type Endpoint,
	type EndpointOwner,
	type InactiveReason,
	orderedTypes,
} from "./endpoint.ts";
import { dropPending, selectEndpoint, updateEndpoint } from "./endpoint-sql.ts";
import { refuseUrl, type UrlRules } from "./refuse-url.ts";

/** The fields to change; absent fields keep their values. */
export interface EndpointChange {
	readonly url?: string | undefined;
	readonly eventTypes?: readonly ChosenEventType[] | undefined;
	readonly description?: string | null | undefined;
	readonly status?: "active" | "inactive" | undefined;
}

type Who = Extract<InactiveReason, "partner" | "operator">;

/** For an id that does not exist or belongs to another owner. */
export const NO_ENDPOINT = refuse("not_found", "There is no webhook endpoint with this id.");

/**
 * Changes an endpoint. `by`: who deactivates it, if the change does. Deactivation drops its pending deliveries.
 * `within`: runs the write in a transaction.
 */
export async function changeEndpoint(
	{ urls }: Pick<EndpointDeps, "urls">,
	owner: EndpointOwner,
	endpointId: string,
	change: EndpointChange,
	by: Who,
	within: Within,
): Promise<Endpoint | Refusal<"invalid_input" | "not_found" | "rate_limited" | "unauthorized">> {
	const endpoint = await within((tx) => selectEndpoint(tx, owner, endpointId));
	if (isRefusal(endpoint)) return endpoint;
	const refusal = await refuseChange(urls, endpoint, change);
	return refusal ?? (await within((tx) => changeEndpointIn(tx, owner, endpointId, change, by)));
}

/** Refuses a change whose address could not be posted to. Call it before a transaction: resolving a name takes long. */
export async function refuseChange(
	urls: UrlRules,
	endpoint: Endpoint | null,
	{ url }: Pick<EndpointChange, "url">,
): Promise<Refusal<"invalid_input" | "not_found" | "rate_limited"> | undefined> {
	if (endpoint === null) return NO_ENDPOINT;
	return url === undefined ? undefined : await refuseUrl(urls, url, endpoint.partnerId);
}

/** The change within the caller's transaction. `owner`: null for any. The address was judged before. */
export async function changeEndpointIn(
	tx: Query,
	owner: EndpointOwner | null,
	endpointId: string,
	change: EndpointChange,
	by: Who,
): Promise<Endpoint | Refusal<"not_found">> {
	const before = await selectEndpoint(tx, owner, endpointId, true);
	if (before === null) return NO_ENDPOINT;
	const after = changed(before, change, by);
	if (after.inactiveReason !== null) await dropPending(tx, endpointId);
	return await updateEndpoint(tx, { endpointId, ...after });
}

/** The fields that a change can affect, as they are after it. Pure. */
export const changed = (
	before: Endpoint,
	change: EndpointChange,
	by: Who,
): Pick<Endpoint, "url" | "eventTypes" | "description" | "inactiveReason"> => ({
	url: change.url ?? before.url,
	eventTypes: change.eventTypes === undefined ? before.eventTypes : orderedTypes(change.eventTypes),
	description: change.description === undefined ? before.description : change.description,
	inactiveReason: reasonAfter(before.inactiveReason, change.status, by),
});

function reasonAfter(
	before: InactiveReason | null,
	status: EndpointChange["status"],
	by: InactiveReason,
): InactiveReason | null {
	if (status === undefined) return before;
	return status === "active" ? null : (before ?? by);
}
