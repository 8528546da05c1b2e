import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { recoverEvents, resendOne } from "./delivery-sql.ts";
import type { EndpointOwner } from "./endpoint.ts";
import { activeEndpoint } from "./send-test.ts";

/** Resends undelivered events since a time; returns their number. */
export const recover = (
	db: Database,
	owner: EndpointOwner | null,
	endpointId: string,
	since: Date,
): Promise<{ readonly events: number } | Refusal<"invalid_input" | "not_found">> =>
	transaction(db, async (tx) => {
		const endpoint = await activeEndpoint(tx, owner, endpointId);
		if ("refusal" in endpoint) return endpoint;
		return { events: await recoverEvents(tx, endpointId, since) };
	});

/** Resends one delivery, whatever its status. */
export const resend = (
	db: Database,
	deliveryId: string,
): Promise<{ readonly endpointId: string } | Refusal<"not_found">> =>
	transaction(db, async (tx) => {
		const endpointId = await resendOne(tx, deliveryId);
		if (endpointId === null) {
			const why = "or its endpoint is inactive, or its event is no longer kept";
			return refuse("not_found", `There is no delivery with this id, ${why}.`);
		}
		return { endpointId };
	});
