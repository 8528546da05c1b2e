import { CURRENT_API_DATE } from "../../../service/src/glossary.ts";
import type { Cursors } from "../../../service/src/ground/lib/cursor.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { parseInstant } from "../../../service/src/ground/lib/instant.ts";
import { readPage, takePage, writePage } from "../../../service/src/ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../../service/src/ground/lib/refusal.ts";
import { type Gate, mount, ok } from "../../../service/src/partners/http/mount.ts";
import { wrongInUrl } from "../../../service/src/partners/webhooks/address-rules.ts";
import { changed, NO_ENDPOINT } from "../../../service/src/partners/webhooks/change-endpoint.ts";
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
} from "../../../service/src/partners/webhooks/contract.ts";
import { noRoom } from "../../../service/src/partners/webhooks/create-endpoint.ts";
import { deliveryReply } from "../../../service/src/partners/webhooks/delivery.ts";
import {
	DEFAULT_EVENT_TYPES,
	type Endpoint,
	endpointReply,
	orderedTypes,
} from "../../../service/src/partners/webhooks/endpoint.ts";
import { testEvent } from "../../../service/src/partners/webhooks/event.ts";
import { NO_DELIVERY } from "../../../service/src/partners/webhooks/recover.ts";
import { NOT_PUBLIC } from "../../../service/src/partners/webhooks/refuse-url.ts";
import { newWebhookSecret } from "../../../service/src/partners/webhooks/secret.ts";
import { INACTIVE } from "../../../service/src/partners/webhooks/send-test.ts";
import { recordEvent } from "./keep-book.ts";
import type { Rows } from "./rows.ts";

interface Means {
	readonly rows: Rows;
	readonly cursors: Cursors;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/**
 * Endpoints in memory. Nothing is posted to them, and names are not looked up: deliveries stay pending, and an address
 * must only begin with `https`.
 */
export function webhookOperations(gate: Gate, means: Means): void {
	mountWrites(gate, means);
	mountReads(gate, means);
	mountSending(gate, means);
}

function mountWrites(gate: Gate, means: Means): void {
	const { rows, now } = means;

	mount(gate, CreateWebhookEndpoint, async ({ caller, body }) => {
		const refusal = noRoom(rows.endpoints.size) ?? wrongUrl(body.url);
		if (refusal !== undefined) return refusal;
		const { partnerId, environment } = caller;
		const endpoint = put(means, {
			endpointId: newId(),
			partnerId,
			environment,
			url: body.url,
			eventTypes: orderedTypes(body.event_types ?? DEFAULT_EVENT_TYPES),
			description: body.description ?? null,
			inactiveReason: null,
			apiDate: CURRENT_API_DATE,
			failingSince: null,
			createdAt: now(),
		});
		return { status: 201, data: { ...endpointReply(endpoint), secret: newWebhookSecret() } };
	});

	mount(gate, ChangeWebhookEndpoint, async ({ params, body }) => {
		const before = endpointOf(rows, params);
		if (isRefusal(before)) return before;
		const wrong = body.url === undefined ? undefined : wrongUrl(body.url);
		if (wrong !== undefined) return wrong;
		const { event_types: eventTypes, ...rest } = body;
		const after = changed(before, { ...rest, eventTypes }, "partner");
		if (after.inactiveReason !== null) dropPending(rows, before.endpointId);
		return { status: 200, data: endpointReply(put(means, { ...before, ...after })) };
	});

	mount(gate, DeleteWebhookEndpoint, async ({ params }) => {
		const endpoint = endpointOf(rows, params);
		if (isRefusal(endpoint)) return endpoint;
		rows.endpoints.delete(endpoint.endpointId);
		return { status: 200, data: { ok: true } };
	});

	mount(gate, RotateWebhookSecret, async ({ params }) => {
		const endpoint = endpointOf(rows, params);
		if (isRefusal(endpoint)) return endpoint;
		return { status: 200, data: { ...endpointReply(put(means, endpoint)), secret: newWebhookSecret() } };
	});
}

function mountReads(gate: Gate, { rows, cursors, now }: Means): void {
	mount(gate, ListWebhookEndpoints, async ({ caller, query }) => {
		const page = readPage(cursors, query, [caller.keyId, "webhook-endpoints"]);
		if (isRefusal(page)) return page;
		const all = [...rows.endpoints.values()].filter(({ version }) => version > page.after);
		const listed = takePage(
			page,
			all.sort((a, b) => a.version - b.version),
			({ version }) => version,
		);
		return ok(writePage(page, listed, endpointReply, rows.endpointNumbers.moment(now())));
	});

	mount(gate, GetWebhookEndpoint, async ({ params }) => {
		const endpoint = endpointOf(rows, params);
		return isRefusal(endpoint) ? endpoint : { status: 200, data: endpointReply(endpoint) };
	});

	mount(gate, ListWebhookDeliveries, async ({ caller, params, query }) => {
		const { endpoint_id } = params;
		const page = readPage(cursors, query, [caller.keyId, "deliveries", endpoint_id.toLowerCase(), query.status]);
		if (isRefusal(page)) return page;
		const endpoint = endpointOf(rows, params);
		if (isRefusal(endpoint)) return endpoint;
		const all = [...rows.deliveries.values()].filter(
			({ endpointId, status, place }) =>
				endpointId === endpoint.endpointId && place > page.after && (query.status ?? status) === status,
		);
		const listed = takePage(
			page,
			all.sort((a, b) => a.place - b.place),
			({ place }) => place,
		);
		return ok(writePage(page, listed, deliveryReply, rows.eventNumbers.moment(now())));
	});
}

function mountSending(gate: Gate, means: Means): void {
	const { rows, now } = means;

	mount(gate, TestWebhookEndpoint, async ({ params }) => {
		const endpoint = activeEndpoint(rows, params);
		if (isRefusal(endpoint)) return endpoint;
		const { endpointId } = endpoint;
		const event = testEvent(endpoint, endpointId, newId(), now());
		recordEvent(rows, event, now(), endpointId);
		return { status: 202, data: { event_id: event.eventId } };
	});

	mount(gate, ResendWebhookDelivery, async ({ params }) => {
		const endpoint = endpointOf(rows, params);
		if (isRefusal(endpoint)) return endpoint;
		const delivery = rows.deliveries.get(params.delivery_id.toLowerCase());
		if (delivery?.endpointId !== endpoint.endpointId) return NO_DELIVERY;
		if (endpoint.inactiveReason !== null) return INACTIVE;
		rows.deliveries.set(delivery.deliveryId, { ...delivery, status: "pending", nextAttemptAt: now() });
		return { status: 202, data: { event_id: delivery.eventId } };
	});

	mount(gate, RecoverWebhookEvents, async ({ params, body }) => {
		const since = parseInstant(body.since);
		if (since === null)
			return refuse("invalid_input", "/since: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)");
		const endpoint = activeEndpoint(rows, params);
		return isRefusal(endpoint) ? endpoint : { status: 202, data: { events: recover(means, endpoint, since) } };
	});
}

type Params = { readonly endpoint_id: string };

const endpointOf = (rows: Rows, { endpoint_id }: Params): Endpoint | typeof NO_ENDPOINT =>
	rows.endpoints.get(endpoint_id.toLowerCase()) ?? NO_ENDPOINT;

function activeEndpoint(rows: Rows, params: Params): Endpoint | typeof NO_ENDPOINT | typeof INACTIVE {
	const endpoint = endpointOf(rows, params);
	return isRefusal(endpoint) || endpoint.inactiveReason === null ? endpoint : INACTIVE;
}

function wrongUrl(url: string): Refusal<"invalid_input"> | undefined {
	const wrong = wrongInUrl(url);
	if (wrong !== null) return refuse("invalid_input", `/url: ${wrong}`);
	return new URL(url).protocol === "https:" ? undefined : NOT_PUBLIC;
}

/** Writes an endpoint, which takes a new place in the list. */
function put({ rows, now }: Means, facts: Omit<Endpoint, "version" | "updatedAt">): Endpoint {
	const endpoint = { ...facts, version: rows.endpointNumbers.take(now()), updatedAt: now() };
	rows.endpoints.set(endpoint.endpointId, endpoint);
	return endpoint;
}

function dropPending(rows: Rows, endpointId: string): void {
	for (const [id, one] of rows.deliveries) {
		if (one.endpointId !== endpointId || one.status !== "pending") continue;
		rows.deliveries.set(id, { ...one, status: "dropped", nextAttemptAt: null });
	}
}

/** Queues what was dropped, and what was recorded while the endpoint was inactive. Returns how many events. */
function recover({ rows, now }: Means, { endpointId, eventTypes }: Endpoint, since: number): number {
	const chosen = rows.events.filter(
		({ event, createdAt }) => createdAt >= since && (eventTypes as readonly string[]).includes(event.type),
	);
	const queued = chosen.filter(({ seq, event: { eventId, type } }) => {
		const before = [...rows.deliveries.values()].find((one) => one.endpointId === endpointId && one.seq === seq);
		if (before !== undefined && before.status !== "dropped") return false;
		const deliveryId = before?.deliveryId ?? newId();
		const pending = { status: "pending", attempts: before?.attempts ?? [], nextAttemptAt: now() } as const;
		const place = rows.eventNumbers.take(now());
		rows.deliveries.set(deliveryId, { deliveryId, endpointId, eventId, type, ...pending, seq, place });
		return true;
	});
	return queued.length;
}
