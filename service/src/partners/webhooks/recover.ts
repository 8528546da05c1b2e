import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import {
	lockUndelivered,
	queueAgain,
	type Resent,
	resendOne,
	selectEventEpoch,
	selectResendable,
} from "./delivery-sql.ts";
import type { EndpointOwner } from "./endpoint.ts";
import { selectEndpoint } from "./endpoint-sql.ts";
import { activeEndpoint, INACTIVE } from "./send-test.ts";

/** Resends undelivered events since a time; returns their number. `owner`: null for any. */
export async function recover(
	tx: Query,
	owner: EndpointOwner | null,
	endpointId: string,
	since: Date,
): Promise<{ readonly events: number } | Refusal<"invalid_input" | "not_found">> {
	const endpoint = await activeEndpoint(tx, owner, endpointId);
	if ("refusal" in endpoint) return endpoint;
	// orders of other partners wait while the numbers are locked, so the search comes before
	const seen = await selectEventEpoch(tx);
	const found = await lockUndelivered(tx, endpointId, { since, above: 0 });
	await lockEpoch(tx, "event_epoch"); // events that were recorded while the endpoint was inactive are visible now
	const late = await lockUndelivered(tx, endpointId, { since, above: seen });
	return { events: await queueAgain(tx, endpointId, [...new Set([...found, ...late])]) };
}

export const NO_DELIVERY = refuse("not_found", "There is no delivery with this id.");

/** Resends one delivery, whatever its status. Refuses `invalid_input` if its state does not allow that. */
export async function resend(tx: Query, deliveryId: string): Promise<Resent | Refusal<"invalid_input" | "not_found">> {
	const resent = await resendOne(tx, deliveryId);
	if (resent !== null) return resent;
	const delivery = await selectResendable(tx, deliveryId);
	if (delivery === null) return NO_DELIVERY;
	return delivery.pruned ? refuse("invalid_input", "The event of this delivery is no longer kept.") : INACTIVE;
}

/** The same for its partner: only a delivery of this endpoint, which must be the owner's. */
export async function resendTo(
	tx: Query,
	owner: EndpointOwner,
	endpointId: string,
	deliveryId: string,
): Promise<Resent | Refusal<"invalid_input" | "not_found">> {
	if ((await selectEndpoint(tx, owner, endpointId, true)) === null) return NO_ENDPOINT;
	const delivery = await selectResendable(tx, deliveryId);
	return delivery?.endpointId === endpointId ? await resend(tx, deliveryId) : NO_DELIVERY;
}
