import { CURRENT_API_DATE } from "../../glossary.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { Within } from "../keys/carry-out-write.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import {
	type ChosenEventType,
	DEFAULT_EVENT_TYPES,
	type Endpoint,
	type EndpointOwner,
	orderedTypes,
} from "./endpoint.ts";
import { countEndpointsOf, insertEndpoint, insertSecret } from "./endpoint-sql.ts";
import { MAX_ENDPOINTS } from "./limits.ts";
import { refuseUrl, type UrlRules } from "./refuse-url.ts";
import { newWebhookSecret, sealSecret } from "./secret.ts";

export interface EndpointDeps {
	readonly db: Database;
	readonly ring: KeyRing;
	readonly urls: UrlRules;
}

export interface EndpointWish {
	readonly url: string;
	/** Absent: the contract's two. */
	readonly eventTypes?: readonly ChosenEventType[] | undefined;
	readonly description?: string | null | undefined;
}

/** An endpoint with a new secret, shown only once. */
export interface EndpointWithSecret {
	readonly endpoint: Endpoint;
	readonly secret: string;
}

/** Registers an endpoint for future events, on the current API date. `within`: runs the write in a transaction. */
export async function createEndpoint(
	{ db, ring, urls }: EndpointDeps,
	owner: EndpointOwner,
	wish: EndpointWish,
	within: Within = (work) => transaction(db, work),
): Promise<EndpointWithSecret | Refusal<"invalid_input" | "not_found" | "rate_limited" | "unauthorized">> {
	// check the limit first, because resolving a name is more expensive
	const count = await within((tx) => countEndpointsOf(tx, owner));
	if (isRefusal(count)) return count;
	const refusal = noRoom(count) ?? (await refuseUrl(urls, wish.url, owner.partnerId));
	if (refusal) return refusal;
	return await within((tx) => createEndpointIn(tx, ring, owner, wish));
}

/** The same within the caller's transaction. The address was judged before. Refuses `invalid_input` at the limit. */
export async function createEndpointIn(
	tx: Query,
	ring: KeyRing,
	owner: EndpointOwner,
	{ url, eventTypes = DEFAULT_EVENT_TYPES, description = null }: EndpointWish,
): Promise<EndpointWithSecret | Refusal<"invalid_input" | "not_found">> {
	const refusal = noRoom(await countEndpointsOf(tx, owner));
	if (refusal) return refusal;
	const secret = newWebhookSecret();
	const endpointId = newId();
	const types = orderedTypes(eventTypes);
	const facts = { ...owner, endpointId, url, description, eventTypes: types, apiDate: CURRENT_API_DATE };
	const endpoint = await insertEndpoint(tx, facts);
	await insertSecret(tx, endpointId, sealSecret(ring, newId(), secret));
	return { endpoint, secret };
}

export const NO_PARTNER = refuse("not_found", "There is no such partner.");

/** `count`: the number of existing endpoints; null: there is no such partner. */
export function noRoom(count: number | null): Refusal<"invalid_input" | "not_found"> | undefined {
	if (count === null) return NO_PARTNER;
	if (count < MAX_ENDPOINTS) return undefined;
	return refuse("invalid_input", `There are ${count} endpoints, which is the maximum. Delete one first.`);
}
