import { parseInstant } from "../../ground/lib/instant.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Standing } from "../http/caller.ts";
import { type Gate, mount, ok } from "../http/mount.ts";
import { carryOutWrite, type Within } from "../keys/carry-out-write.ts";
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
import { recoverInParts, resendTo } from "./recover.ts";
import { createOwnerPlaces } from "./refuse-url.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { sendTest } from "./send-test.ts";

export interface WebhookDeps extends Omit<EndpointDeps, "urls">, HookPageDeps {
	readonly webhooks: Pick<EndpointDeps, "urls">;
}

const idOf = ({ endpoint_id }: { readonly endpoint_id: string }): string => endpoint_id.toLowerCase();

/** Maximum number of recoveries of one partner at a time: they read many events, on connections of all partners. */
const RECOVERIES_OF_ONE = 1;
const AGAIN_AFTER_SECONDS = 1;
const RECOVERING = refuse(
	"rate_limited",
	"Events of this partner are being recovered at this moment. Nothing was done: send the request again.",
	AGAIN_AFTER_SECONDS,
);

export function routes(gate: Gate, { webhooks: { urls }, ...rest }: WebhookDeps): void {
	const deps = { ...rest, urls };
	const within = (standing: Standing): Within => carryOutWrite(deps.db, standing);
	const recoveries = createOwnerPlaces(RECOVERIES_OF_ONE);
	mount(gate, CreateWebhookEndpoint, async ({ caller, standing, body }) => {
		const { url, event_types: eventTypes, description } = body;
		const made = await createEndpoint(deps, caller, { url, eventTypes, description }, within(standing));
		if (isRefusal(made)) return made;
		return { status: 201, data: { ...endpointReply(made.endpoint), secret: made.secret } };
	});

	mount(gate, ListWebhookEndpoints, async ({ caller, query }) => ok(await listEndpoints(deps, caller, query)));

	mount(gate, GetWebhookEndpoint, async ({ caller, params }) => {
		const endpoint = await selectEndpoint(deps.readDb, caller, idOf(params));
		return endpoint === null ? NO_ENDPOINT : { status: 200, data: endpointReply(endpoint) };
	});

	mount(gate, ChangeWebhookEndpoint, async ({ caller, standing, params, body }) => {
		const { event_types: eventTypes, ...rest } = body;
		const change = { ...rest, eventTypes };
		const changed = await changeEndpoint(deps, caller, idOf(params), change, "partner", within(standing));
		return isRefusal(changed) ? changed : { status: 200, data: endpointReply(changed) };
	});

	mount(gate, DeleteWebhookEndpoint, async ({ caller, standing, params }) =>
		ok(await within(standing)((tx) => deleteEndpoint(tx, caller, idOf(params)))),
	);

	mount(gate, RotateWebhookSecret, async ({ caller, standing, params, body }) => {
		const rotated = await within(standing)((tx) =>
			rotateSecret(tx, deps.ring, caller, idOf(params), body.overlap_hours),
		);
		if (isRefusal(rotated)) return rotated;
		return { status: 200, data: { ...endpointReply(rotated.endpoint), secret: rotated.secret } };
	});

	mount(gate, TestWebhookEndpoint, async ({ caller, standing, params }) => {
		const sent = await within(standing)((tx) => sendTest(tx, caller, idOf(params)));
		return isRefusal(sent) ? sent : { status: 202, data: { event_id: sent.eventId } };
	});

	mount(gate, ListWebhookDeliveries, async ({ caller, params, query }) =>
		ok(await listDeliveries(deps, caller, idOf(params), query)),
	);

	mount(gate, ResendWebhookDelivery, async ({ caller, standing, params }) => {
		const deliveryId = params.delivery_id.toLowerCase();
		const sent = await within(standing)((tx) => resendTo(tx, caller, idOf(params), deliveryId));
		return isRefusal(sent) ? sent : { status: 202, data: { event_id: sent.eventId } };
	});

	mount(gate, RecoverWebhookEvents, async ({ caller, standing, params, body }) => {
		const since = parseInstant(body.since);
		if (since === null) {
			return refuse("invalid_input", "/since: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)");
		}
		const giveBack = recoveries.take(caller.partnerId);
		if (giveBack === null) return RECOVERING;
		const recovery = { owner: caller, endpointId: idOf(params), since: new Date(since) };
		const recovered = await recoverInParts(within(standing), recovery).finally(giveBack);
		return isRefusal(recovered) ? recovered : { status: 202, data: recovered };
	});
}
