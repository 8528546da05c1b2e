import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type Write, type WriteDeps } from "../../partners/admin/mount-write.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { isRowId, readOperatorPage, writeOperatorPage, wrongCursor } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { findBrand } from "../catalog/find-shelf.ts";
import { listQueue, type QueuedBox, type QueuePlace, selectBox } from "../orders/box-sql.ts";
import type { CombineCommand, Combined } from "../orders/combine.ts";
import { findEachNamedOrder, findNamedOrder } from "../orders/find-order.ts";
import type { LabelGate } from "../orders/label-gate.ts";
import { operatorBoxReply, queuedBoxReply } from "../orders/operator-reply.ts";
import { SERVICE_LEVELS } from "../orders/order.ts";
import type { Links } from "../orders/order-book.ts";
import { showBox } from "../orders/show-order.ts";
import { CombineBoxes, GetBox, ListBoxes, ListCombinable, ListQueue } from "./box-admin-contract.ts";
import { type CombinableOrders, combinable } from "./combinable.ts";
import { listBoxes } from "./list-boxes-sql.ts";
import { selectLoneOrders } from "./list-combinable-sql.ts";

export interface ShippingAdminDeps extends WriteDeps {
	readonly readDb: Query;
	/** Runs commands inside the transaction of a write. `more`: that of the write. */
	readonly executeIn: (tx: Query, commands: readonly CombineCommand[], more: unknown) => Promise<readonly unknown[]>;
	readonly links: Links;
	readonly labels: LabelGate;
}

/** What operators do with boxes. */
export function admin(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	mountQueue(gate, deps);
	mountBoxes(gate, deps);
	mountCombine(gate, deps);
}

function mountQueue(gate: Gate<Operator>, { readDb, links }: ShippingAdminDeps): void {
	mount(gate, ListQueue, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const after = page.after === null ? null : placeOf(page.after);
		if (isRefusal(after)) return after;
		const brandCode = await findBrand(readDb, query.brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const filter = { brandCode, status: query.status ?? null, ...(after === null ? {} : { after }) };
		const list = await listQueue(readDb, filter, page.limit);
		return { status: 200, data: writeOperatorPage(list, placeText, (box) => queuedBoxReply(box, links)) };
	});
}

const placeText = ({ serviceLevel, waitingSince, record }: QueuedBox): string =>
	`${serviceLevel} ${waitingSince.getTime()} ${record.shipment.shipmentId}`;

function placeOf(text: string): QueuePlace | Refusal<"invalid_input"> {
	const [level = "", since = "", shipmentId = ""] = text.split(" ");
	const serviceLevel = SERVICE_LEVELS.find((one) => one === level);
	if (serviceLevel === undefined || !/^\d{1,15}$/.test(since) || !isRowId(shipmentId)) return wrongCursor();
	return { serviceLevel, waitingSince: new Date(Number(since)), shipmentId };
}

function mountBoxes(gate: Gate<Operator>, { readDb, links }: ShippingAdminDeps): void {
	mount(gate, ListBoxes, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		if (page.after !== null && !isRowId(page.after)) return wrongCursor();
		const brandCode = await findBrand(readDb, query.brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const order = query.order === undefined ? null : await findNamedOrder(readDb, query.order);
		if (isRefusal(order)) return order;
		const filter = {
			brandCode,
			status: query.status ?? null,
			orderId: order?.orderId ?? null,
			search: query.q ?? null,
			before: page.after,
		};
		const list = await listBoxes(readDb, filter, page.limit);
		const keyOf = ({ record }: (typeof list.items)[number]) => record.shipment.shipmentId;
		return { status: 200, data: writeOperatorPage(list, keyOf, (box) => operatorBoxReply(box, links)) };
	});

	mount(gate, GetBox, async ({ params }) => ok(await readBox(readDb, links, params)));

	mount(gate, ListCombinable, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const brandCode = await findBrand(readDb, query.brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const all = combinable((await selectLoneOrders(readDb, brandCode)).rows);
		const rest = all.filter(([first]) => page.after === null || first.orderId > page.after);
		const list = { items: rest.slice(0, page.limit), hasMore: rest.length > page.limit };
		return { status: 200, data: writeOperatorPage(list, ([first]) => first.orderId, combinableReply) };
	});
}

async function readBox(db: Query, links: Links, { id }: { readonly id: string }) {
	const { rows } = await selectBox(db, id.toLowerCase());
	const [box] = rows;
	if (box === undefined) return refuse("not_found", `There is no shipment ${id}.`);
	return operatorBoxReply(await showBox(db, box.shipmentId), links);
}

function combinableReply(orders: CombinableOrders) {
	const [{ brandCode, partner, serviceLevel, shipTo }] = orders;
	const { city, state = null, postal_code, country } = shipTo;
	return {
		brand_code: brandCode,
		partner,
		service_level: serviceLevel,
		ship_to: { city, state, postal_code, country },
		orders: orders.map((order) => ({
			order_id: order.orderId,
			ref: order.ref,
			external_order_id: order.externalOrderId,
			shipment_id: order.shipmentId,
			customer: order.customer,
			placed_at: order.placedAt.toISOString(),
		})),
	};
}

function mountCombine(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const { links, labels, executeIn } = deps;
	const combine: Write<typeof CombineBoxes> = async (tx, { body }, more) => {
		const orderIds = await ordersToCombine(tx, body.order_ids);
		if (isRefusal(orderIds)) return orderIds;
		const [answer] = await executeIn(tx, [{ kind: "combine", orderIds }], more);
		if (isRefusal(answer)) return onThisSurface(answer);
		const { shipmentId, already } = must(answer as Combined | undefined, "the answer of a combine");
		const data = operatorBoxReply(await showBox(tx, shipmentId), links);
		return { status: 200, data, about: shipmentId, changed: !already };
	};
	mountWrite(gate, deps, CombineBoxes, combine, {
		async ask({ body }) {
			const orderIds = body.dry_run ? null : await ordersToCombine(deps.readDb, body.order_ids);
			if (orderIds === null || isRefusal(orderIds)) return undefined; // the write says what is wrong
			return await labels.askToCombine(orderIds);
		},
	});
}

async function ordersToCombine(db: Query, names: readonly string[]) {
	const orders = await findEachNamedOrder(db, names);
	if (isRefusal(orders)) return orders;
	if (orders.length < 2) return refuse("invalid_input", "/order_ids: expected at least two different orders");
	return orders.map(({ orderId }) => orderId);
}

/** What the state of an order or a box does not allow has one code on this surface (operator contract, section 8). */
function onThisSurface({ refusal, message }: Refusal) {
	switch (refusal) {
		case "invalid_input":
			return refuse("invalid_input", message.replace(/^\/order_refs\b/, "/order_ids"));
		case "retry":
		case "order_not_found":
			return refuse(refusal, message);
		default:
			return refuse("not_possible_now", message);
	}
}
