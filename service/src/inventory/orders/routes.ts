import type { Executes } from "../../ground/engine/kind.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import type { Request } from "../../partners/http/operation.ts";
import type { Origin } from "../stock/move.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import {
	CancelOrder,
	CombineShipments,
	Confirm,
	GetOrder,
	ListOwnOrders,
	ListShipments,
	PlaceOrder,
} from "./contract.ts";
import { refuseCustomer } from "./customer.ts";
import { findOrder, findOrdersToCombine } from "./find-order.ts";
import { selectShipment } from "./find-order-sql.ts";
import type { LabelGate } from "./label-gate.ts";
import { listOwnOrders } from "./list-own-orders.ts";
import { type ListDeps, listShipments } from "./list-shipments.ts";
import { nameOf } from "./named-order.ts";
import { orderReply } from "./order-reply.ts";
import { shipmentReply } from "./shipment-reply.ts";
import { showOrder } from "./show-order.ts";

export interface OrderDeps extends ListDeps {
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	/** For short reads by index. */
	readonly readDb: Query;
	readonly labels: LabelGate;
}

const originOf = ({ pk }: Caller, requestId: string): Origin => ({ actor: `key:${pk}`, requestId });
const REPLAY = { "Idempotent-Replayed": "true" } as const;

/**
 * `/orders` superseded `/confirm` on the first API date; `/confirm` works for at least a year (contract, section 9).
 * RFC 9745 and RFC 8594 require different date formats.
 */
const SUPERSEDED = {
	Deprecation: `@${Date.UTC(2026, 8, 6) / 1000}`,
	Sunset: new Date(Date.UTC(2027, 8, 6)).toUTCString(),
	Link: '</api/v1/orders>; rel="successor-version"',
} as const;

export function routes(gate: Gate, deps: OrderDeps): void {
	const { engine, readDb: db, links, labels } = deps;
	mount(gate, PlaceOrder, async (request) => await placeOrder(deps, request, request.headers["Idempotency-Key"]));

	mount(gate, Confirm, async (request) => {
		const { headers, body } = request;
		const answer = await placeOrder(deps, request, headers["Idempotency-Key"] ?? body.reservation_token.toLowerCase());
		return isRefusal(answer) ? answer : { ...answer, headers: { ...answer.headers, ...SUPERSEDED } };
	});

	mount(gate, GetOrder, async ({ caller, params }) => {
		const found = await patiently(() => findOrder(db, caller, params.ref));
		if (isRefusal(found)) return found;
		return { status: 200, data: orderReply(await patiently(() => showOrder(db, found.orderId)), links) };
	});

	mount(gate, ListOwnOrders, async ({ caller, query }) => ok(await listOwnOrders(deps, caller, query)));

	mount(gate, CancelOrder, async ({ caller, standing, params, body, requestId }) => {
		const found = await patiently(() => findOrder(db, caller, params.ref));
		if (isRefusal(found)) return found;
		const command = { kind: "cancel", origin: originOf(caller, requestId), reason: body.reason ?? null } as const;
		const answer =
			(await labels.askToCancel(found.orderId)) ?? (await engine.execute({ ...command, ...nameOf(found) }, standing));
		if (isRefusal(answer)) return answer;
		return { status: 200, data: orderReply(await patiently(() => showOrder(db, answer.orderId)), links) };
	});

	mount(gate, CombineShipments, async ({ caller, standing, body }) => {
		const { order_refs: refs, primary_ref: primary } = body;
		const orderIds = await patiently(() => findOrdersToCombine(db, caller, refs, primary));
		if (isRefusal(orderIds)) return orderIds;
		const answer =
			(await labels.askToCombine(orderIds)) ?? (await engine.execute({ kind: "combine", orderIds }, standing));
		if (isRefusal(answer)) return answer;
		return { status: 200, data: shipmentReply(await patiently(() => selectShipment(db, answer.shipmentId)), links) };
	});

	mount(gate, ListShipments, async ({ caller, query }) => ok(await listShipments(deps, caller, query)));
}

/** Shared by `POST /orders` and `/confirm`. */
async function placeOrder(
	{ engine, readDb, links }: OrderDeps,
	{ caller, standing, body, requestId }: Pick<Request<typeof PlaceOrder>, "caller" | "standing" | "body" | "requestId">,
	ref: string,
) {
	const refusal = refuseCustomer(body.customer);
	if (refusal) return refusal;
	const command = {
		kind: "place",
		origin: originOf(caller, requestId),
		caller,
		token: body.reservation_token.toLowerCase(),
		ref,
		newOrderId: newId(),
		newShipmentId: newId(),
		externalOrderId: body.external_order_id ?? null,
		customer: body.customer,
		serviceLevel: body.service_level ?? "standard",
		note: body.note ?? null,
	} as const;
	const answer = await engine.execute(command, standing);
	if (isRefusal(answer)) return answer;
	if (answer.record) return { status: 201, data: orderReply(answer.record, links), headers: {} } as const;
	const data = orderReply(await showOrder(readDb, answer.orderId), links);
	return { status: 200, data, headers: REPLAY } as const;
}
