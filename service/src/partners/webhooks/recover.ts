import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { recoverEvents, resendOne, selectResendable } from "./delivery-sql.ts";
import type { EndpointOwner } from "./endpoint.ts";
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
	return { events: await recoverEvents(tx, endpointId, since) };
}

/** Resends one delivery, whatever its status. Refuses `invalid_input` if its state does not allow that. */
export async function resend(
	tx: Query,
	deliveryId: string,
): Promise<{ readonly endpointId: string } | Refusal<"invalid_input" | "not_found">> {
	const endpointId = await resendOne(tx, deliveryId);
	if (endpointId !== null) return { endpointId };
	const delivery = await selectResendable(tx, deliveryId);
	if (delivery === null) return refuse("not_found", "There is no delivery with this id.");
	return delivery.pruned ? refuse("invalid_input", "The event of this delivery is no longer kept.") : INACTIVE;
}
