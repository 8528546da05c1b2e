import { parseInstant } from "../../ground/lib/instant.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type Gate, mount, ok } from "../http/mount.ts";
import { changeEndpoint, NO_ENDPOINT } from "./change-endpoint.ts";
import {
	ChangeWebhookEndpoint,
	CreateWebhookEndpoint,
	DeleteWebhookEndpoint,
	GetWebhookEndpoint,
	ListWebhookDeliveries,
	ListWebhookEndpoints,
	RecoverWebhookEvents,
	ResendWebhookDelivery,
	RotateWebhookSecret,
	TestWebhookEndpoint,
} from "./contract.ts";
import { createEndpoint, type EndpointDeps } from "./create-endpoint.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { endpointReply } from "./endpoint.ts";
import { selectEndpoint } from "./endpoint-sql.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { type HookPageDeps, listEndpoints } from "./list-endpoints.ts";
import { recover, resendTo } from "./recover.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { sendTest } from "./send-test.ts";

export interface WebhookDeps extends Omit<EndpointDeps, "urls">, HookPageDeps {
	readonly webhooks: Pick<EndpointDeps, "urls">;
}

const idOf = ({ endpoint_id }: { readonly endpoint_id: string }): string => endpoint_id.toLowerCase();

export function routes(gate: Gate, { webhooks: { urls }, ...rest }: WebhookDeps): void {
	const deps = { ...rest, urls };
	mount(gate, CreateWebhookEndpoint, async ({ caller, body }) => {
		const { url, event_types: eventTypes, description } = body;
		const made = await createEndpoint(deps, caller, { url, eventTypes, description });
		if (isRefusal(made)) return made;
		return { status: 201, data: { ...endpointReply(made.endpoint), secret: made.secret } };
	});

	mount(gate, ListWebhookEndpoints, async ({ caller, query }) => ok(await listEndpoints(deps, caller, query)));

	mount(gate, GetWebhookEndpoint, async ({ caller, params }) => {
		const endpoint = await selectEndpoint(deps.readDb, caller, idOf(params));
		return endpoint === null ? NO_ENDPOINT : { status: 200, data: endpointReply(endpoint) };
	});

	mount(gate, ChangeWebhookEndpoint, async ({ caller, params, body }) => {
		const { event_types: eventTypes, ...rest } = body;
		const changed = await changeEndpoint(deps, caller, idOf(params), { ...rest, eventTypes }, "partner");
		return isRefusal(changed) ? changed : { status: 200, data: endpointReply(changed) };
	});

	mount(gate, DeleteWebhookEndpoint, async ({ caller, params }) =>
		ok(await transaction(deps.db, (tx) => deleteEndpoint(tx, caller, idOf(params)))),
	);

	mount(gate, RotateWebhookSecret, async ({ caller, params, body }) => {
		const rotated = await transaction(deps.db, (tx) =>
			rotateSecret(tx, deps.ring, caller, idOf(params), body.overlap_hours),
		);
		if (isRefusal(rotated)) return rotated;
		return { status: 200, data: { ...endpointReply(rotated.endpoint), secret: rotated.secret } };
	});

	mount(gate, TestWebhookEndpoint, async ({ caller, params }) => {
		const sent = await transaction(deps.db, (tx) => sendTest(tx, caller, idOf(params)));
		return isRefusal(sent) ? sent : { status: 202, data: { event_id: sent.eventId } };
	});

	mount(gate, ListWebhookDeliveries, async ({ caller, params, query }) =>
		ok(await listDeliveries(deps, caller, idOf(params), query)),
	);

	mount(gate, ResendWebhookDelivery, async ({ caller, params }) => {
		const deliveryId = params.delivery_id.toLowerCase();
		const sent = await transaction(deps.db, (tx) => resendTo(tx, caller, idOf(params), deliveryId));
		return isRefusal(sent) ? sent : { status: 202, data: { event_id: sent.eventId } };
	});

	mount(gate, RecoverWebhookEvents, async ({ caller, params, body }) => {
		const since = parseInstant(body.since);
		if (since === null) {
			return refuse("invalid_input", "/since: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)");
		}
		const recovered = await transaction(deps.db, (tx) => recover(tx, caller, idOf(params), new Date(since)));
		return isRefusal(recovered) ? recovered : { status: 202, data: recovered };
	});
}
