import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { rfc3339OrNull } from "../../ground/lib/clock.ts";
import { parseInstant } from "../../ground/lib/instant.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { asImpossible } from "../admin/as-impossible.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../admin/mount-write.ts";
import type { Operator } from "../admin/operator.ts";
import { isRowId, readPageFrom, rowId, rowNumber, writeOperatorPage } from "../admin/page.ts";
import { type Gate, mount, ok } from "../http/mount.ts";
import { findPartner } from "../keys/change-partner.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { changeEndpointIn, type EndpointChange, NO_ENDPOINT, refuseChange } from "./change-endpoint.ts";
import { createEndpointIn, type EndpointWithSecret } from "./create-endpoint.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { deliveryReply } from "./delivery.ts";
import { ListDeliveries, ListEvents, ResendDelivery } from "./delivery-admin-contract.ts";
import { type Endpoint, endpointReply, orderedTypes } from "./endpoint.ts";
import {
	ChangeEndpoint,
	DeleteEndpoint,
	GetEndpoint,
	ListEndpoints,
	MakeEndpoint,
	PauseEndpoint,
	RecoverEndpoint,
	ResumeEndpoint,
	RotateEndpointSecret,
	TestEndpoint,
} from "./endpoint-admin-contract.ts";
import { selectEndpoint } from "./endpoint-sql.ts";
import {
	type DeliveryPlace,
	type ListedDelivery,
	type ListedEndpoint,
	type ListedEvent,
	type OperatorEndpoint,
	selectDeliveryPage,
	selectEndpointPage,
	selectEventPage,
	selectOperatorEndpoint,
} from "./operator-sql.ts";
import { recover, resend } from "./recover.ts";
import { refuseUrl, type UrlRules } from "./refuse-url.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { sendTest } from "./send-test.ts";

export interface WebhookAdminDeps extends ReadWriteDeps {
	readonly ring: KeyRing;
	readonly webhooks: { readonly urls: UrlRules };
}

/** The operators' operations on webhook endpoints, deliveries and events. */
export function admin(gate: Gate<Operator>, deps: WebhookAdminDeps): void {
	mountLists(gate, deps);
	mountMake(gate, deps);
	mountEdits(gate, deps);
	mountSends(gate, deps);
}

interface ById {
	readonly id: string;
}
const idOf = ({ id }: ById): string => id.toLowerCase();

function mountLists(gate: Gate<Operator>, { readDb, listDb }: WebhookAdminDeps): void {
	mount(gate, ListEndpoints, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectEndpointPage(listDb, query, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ endpointId }) => endpointId, listedReply) };
	});

	mount(gate, GetEndpoint, async ({ params }) => ok(await readEndpoint(readDb, params)));

	mount(gate, ListDeliveries, async ({ query }) => {
		const page = readPageFrom(query, placeOf);
		if (isRefusal(page)) return page;
		const { endpoint_id, event_id: eventId = null, status = null } = query;
		const filters = { endpointId: endpoint_id?.toLowerCase() ?? null, eventId, status };
		const list = await firstRows(page.limit, (most) => selectDeliveryPage(listDb, filters, page.after, most));
		return {
			status: 200,
			data: writeOperatorPage(list, ({ seq, endpointId }) => `${seq} ${endpointId}`, listedDeliveryReply),
		};
	});

	mount(gate, ListEvents, async ({ query }) => {
		const page = readPageFrom(query, rowNumber);
		if (isRefusal(page)) return page;
		const orderId = query.order_id?.toLowerCase() ?? null;
		const list = await firstRows(page.limit, (most) => selectEventPage(listDb, orderId, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ seq }) => String(seq), eventReply) };
	});
}

/** The place that a cursor of the list of deliveries names; null: the text is not such a cursor. */
function placeOf(cursor: string): DeliveryPlace | null {
	const [first = "", endpointId = "", ...more] = cursor.split(" ");
	const seq = rowNumber(first);
	return seq === null || !isRowId(endpointId) || more.length > 0 ? null : { seq, endpointId };
}

function mountMake(gate: Gate<Operator>, deps: WebhookAdminDeps): void {
	const make: Write<typeof MakeEndpoint> = async (tx, { body }) => {
		const { partner, environment, url, event_types: eventTypes, description } = body;
		const partnerId = await findPartner(tx, partner);
		if (isRefusal(partnerId)) return partnerId;
		const wish = { url, eventTypes, description };
		const made = asImpossible(await createEndpointIn(tx, deps.ring, { partnerId, environment }, wish), "invalid_input");
		if (isRefusal(made)) return made;
		return { status: 201, data: await replyWithSecret(tx, made), about: made.endpoint.endpointId };
	};
	mountWrite(gate, deps, MakeEndpoint, make, {
		ask: async ({ body }) => {
			const partnerId = await findPartner(deps.readDb, body.partner);
			return isRefusal(partnerId) ? partnerId : await refuseUrl(deps.webhooks.urls, body.url, partnerId);
		},
	});
}

function mountEdits(gate: Gate<Operator>, deps: WebhookAdminDeps): void {
	const read = readEndpoint;
	const change: Write<typeof ChangeEndpoint> = (tx, { params, body: { url, event_types, description, status } }) =>
		changed(tx, params, { url, eventTypes: event_types, description, status });
	mountWrite(gate, deps, ChangeEndpoint, change, {
		read,
		ask: async ({ params, body }) =>
			refuseChange(deps.webhooks.urls, await selectEndpoint(deps.readDb, null, idOf(params)), { url: body.url }),
	});

	for (const [operation, status] of [
		[PauseEndpoint, "inactive"],
		[ResumeEndpoint, "active"],
	] as const) {
		const write: Write<typeof operation> = (tx, { params }) => changed(tx, params, { status });
		mountWrite(gate, deps, operation, write, { read });
	}

	const remove: Write<typeof DeleteEndpoint> = async (tx, { params }) => {
		const deleted = await deleteEndpoint(tx, null, idOf(params));
		return isRefusal(deleted) ? deleted : { status: 200, data: deleted, about: idOf(params) };
	};
	mountWrite(gate, deps, DeleteEndpoint, remove, { read });

	const rotate: Write<typeof RotateEndpointSecret> = async (tx, { params, body }) => {
		const rotated = await rotateSecret(tx, deps.ring, null, idOf(params), body.overlap_hours);
		if (isRefusal(rotated)) return rotated;
		return { status: 200, data: await replyWithSecret(tx, rotated), about: idOf(params) };
	};
	mountWrite(gate, deps, RotateEndpointSecret, rotate, { read });
}

/** Changes an endpoint and answers with it; without an audit row if nothing changed. */
async function changed(tx: Query, params: ById, change: EndpointChange) {
	const before = await selectEndpoint(tx, null, idOf(params), true);
	if (before === null) return NO_ENDPOINT;
	const isChange = differs(before, change);
	const after = isChange ? await changeEndpointIn(tx, null, before.endpointId, change, "operator") : before;
	if (isRefusal(after)) return after;
	const data = await readEndpoint(tx, params);
	if (isRefusal(data)) return data;
	return { status: 200 as const, data, about: before.endpointId, changed: isChange };
}

const differs = (before: Endpoint, { url, eventTypes, description, status }: EndpointChange): boolean =>
	(url ?? before.url) !== before.url ||
	orderedTypes(eventTypes ?? before.eventTypes).join() !== before.eventTypes.join() ||
	(description !== undefined && description !== before.description) ||
	(status !== undefined && status !== endpointReply(before).status);

function mountSends(gate: Gate<Operator>, deps: WebhookAdminDeps): void {
	mountWrite(gate, deps, TestEndpoint, async (tx, { params }) => {
		const sent = asImpossible(await sendTest(tx, null, idOf(params)), "invalid_input");
		if (isRefusal(sent)) return sent;
		return { status: 200, data: { event_id: sent.eventId }, about: idOf(params) };
	});

	mountWrite(gate, deps, RecoverEndpoint, async (tx, { params, body }) => {
		const since = parseInstant(body.since);
		if (since === null)
			return refuse("invalid_input", "/since: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)");
		const recovered = asImpossible(await recover(tx, null, idOf(params), new Date(since)), "invalid_input");
		if (isRefusal(recovered)) return recovered;
		return { status: 200, data: recovered, about: idOf(params), changed: recovered.events > 0 };
	});

	mountWrite(gate, deps, ResendDelivery, async (tx, { params }) => {
		const sent = asImpossible(await resend(tx, idOf(params)), "invalid_input");
		if (isRefusal(sent)) return sent;
		return { status: 200, data: { endpoint_id: sent.endpointId }, about: idOf(params) };
	});
}

async function readEndpoint(db: Query, params: ById) {
	const endpoint = await selectOperatorEndpoint(db, idOf(params));
	return endpoint === null ? NO_ENDPOINT : operatorReply(endpoint);
}

/** The endpoint of this transaction, with its new secret. */
async function replyWithSecret(tx: Query, { endpoint: { endpointId: id }, secret }: EndpointWithSecret) {
	const endpoint = must(await selectOperatorEndpoint(tx, id), "the endpoint");
	return { ...operatorReply(endpoint), secret };
}

const operatorReply = (endpoint: OperatorEndpoint) => ({
	...endpointReply(endpoint),
	partner: endpoint.partner,
	environment: endpoint.environment,
	failing_since: rfc3339OrNull(endpoint.failingSince),
});

const listedReply = (endpoint: ListedEndpoint) => ({ ...operatorReply(endpoint), pending: endpoint.pending });

const listedDeliveryReply = ({ nextAttemptAt, ...delivery }: ListedDelivery) => ({
	...deliveryReply({ ...delivery, nextAttemptAt: nextAttemptAt?.getTime() ?? null }),
	endpoint_id: delivery.endpointId,
	partner: delivery.partner,
	environment: delivery.environment,
	created_at: delivery.createdAt.toISOString(),
});

const eventReply = ({ seq: _seq, body, ...event }: ListedEvent) => ({
	...asReply(event),
	body: JSON.parse(body) as { [name: string]: unknown },
});
