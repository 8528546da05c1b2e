import { newId } from "../../ground/lib/ids.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { NO_ENDPOINT } from "./change-endpoint.ts";
import type { Endpoint, EndpointOwner } from "./endpoint.ts";
import { selectEndpoint } from "./endpoint-sql.ts";
import { testEvent } from "./event.ts";
import { readNow } from "./send-sql.ts";
import { writeEvents } from "./sql.ts";

export const INACTIVE = refuse(
	"invalid_input",
	'The endpoint is inactive: nothing is sent to it. Set its status to "active" first.',
);

/** The endpoint, if it belongs to this owner and is active. */
export async function activeEndpoint(
	tx: Query,
	owner: EndpointOwner | null,
	endpointId: string,
): Promise<Endpoint | Refusal<"invalid_input" | "not_found">> {
	const endpoint = await selectEndpoint(tx, owner, endpointId, true);
	if (endpoint === null) return NO_ENDPOINT;
	if (endpoint.inactiveReason === null) return endpoint;
	return INACTIVE;
}

/** Records a `webhook.test` event for one endpoint; it is sent like any other. `owner`: null for any. */
export async function sendTest(
	tx: Query,
	owner: EndpointOwner | null,
	endpointId: string,
): Promise<{ readonly eventId: string } | Refusal<"invalid_input" | "not_found">> {
	const endpoint = await activeEndpoint(tx, owner, endpointId);
	if ("refusal" in endpoint) return endpoint;
	const now = await readNow(tx);
	const event = testEvent(endpoint, endpointId, newId(), now);
	await writeEvents(tx, [event], now, endpointId);
	return { eventId: event.eventId };
}
