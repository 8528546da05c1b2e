import type { CommandOf, ExecutesIn } from "../../ground/engine/kind.ts";
import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { asImpossible } from "../../partners/admin/as-impossible.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { isRowId, readOperatorPage, readPageFrom, rowId, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { findBrand } from "../catalog/find-shelf.ts";
import { listQueue, type QueuedBox, type QueuePlace, selectBox } from "../orders/box-sql.ts";
import { type ChangeDeps, changeNamedBox, pickNamedOrder, voidShipmentById } from "../orders/change-named.ts";
import type { ORDER_COMMANDS } from "../orders/commands.ts";
import { findBoxToVoid, findNamedBox, type NamedBox } from "../orders/find-named-box.ts";
import { findEachNamedOrder, findNamedOrder } from "../orders/find-order.ts";
import type { LabelGate } from "../orders/label-gate.ts";
import { operatorBoxReply, queuedBoxReply } from "../orders/operator-reply.ts";
import { SERVICE_LEVELS } from "../orders/order.ts";
import type { Links } from "../orders/order-book.ts";
import { readNamedOrder } from "../orders/read-order.ts";
import { type BoxNow, showBox } from "../orders/show-order.ts";
import { CombineBoxes, GetBox, ListBoxes, ListCombinable, ListQueue } from "./box-admin-contract.ts";
import type { TrackingUrls } from "./carriers.ts";
import { checkParcels } from "./check-parcels.ts";
import { type CombinableOrders, combinable } from "./combinable.ts";
import { listBoxes } from "./list-boxes-sql.ts";
import { selectLoneOrders } from "./list-combinable-sql.ts";
import { renderPackingSlip } from "./packing-slip.ts";
import { MakePickList, PackOrder, PDF_TYPE } from "./papers-admin-contract.ts";
import { DEFAULT_BOXES } from "./pick-list.ts";
import { pickListOf } from "./pick-list-of.ts";
import { renderPickList } from "./pick-list-sheet.ts";
import { LabelBox, PickOrder, ShipBox, VoidBox } from "./ship-admin-contract.ts";
import { slipOfBox } from "./slip-of-box.ts";

type OrderCommand = CommandOf<typeof ORDER_COMMANDS>;

export interface ShippingAdminDeps extends ReadWriteDeps {
	readonly executeIn: ExecutesIn<typeof ORDER_COMMANDS>;
	/** The carriers whose parcels can be tracked. */
	readonly carriers: TrackingUrls;
	readonly links: Links;
	readonly labels: LabelGate;
}

/** The operations of the operator's API on boxes. */
export function admin(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	mountQueue(gate, deps);
	mountBoxes(gate, deps);
	mountCombine(gate, deps);
	mountPick(gate, deps);
	mountLabel(gate, deps);
	mountShip(gate, deps);
	mountVoid(gate, deps);
	mountPapers(gate, deps);
}

function mountQueue(gate: Gate<Operator>, { listDb, links }: ShippingAdminDeps): void {
	mount(gate, ListQueue, async ({ query }) => {
		const page = readPageFrom(query, placeOf);
		if (isRefusal(page)) return page;
		const { after } = page;
		const brandCode = await findBrand(listDb, query.brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const filter = { brandCode, status: query.status ?? null, ...(after === null ? {} : { after }) };
		const list = await listQueue(listDb, filter, page.limit);
		return { status: 200, data: writeOperatorPage(list, placeText, (box) => queuedBoxReply(box, links)) };
	});
}

const placeText = ({ serviceLevel, waitingSince, record }: QueuedBox): string =>
	`${serviceLevel} ${waitingSince.getTime()} ${record.shipment.shipmentId}`;

function placeOf(text: string): QueuePlace | null {
	const [level = "", since = "", shipmentId = ""] = text.split(" ");
	const serviceLevel = SERVICE_LEVELS.find((one) => one === level);
	if (serviceLevel === undefined || !/^\d{1,15}$/.test(since) || !isRowId(shipmentId)) return null;
	return { serviceLevel, waitingSince: new Date(Number(since)), shipmentId };
}

function mountBoxes(gate: Gate<Operator>, { readDb, listDb, links }: ShippingAdminDeps): void {
	mount(gate, ListBoxes, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const brandCode = await findBrand(listDb, query.brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const order = query.order === undefined ? null : await findNamedOrder(listDb, query.order);
		if (isRefusal(order)) return order;
		const filter = {
			brandCode,
			status: query.status ?? null,
			orderId: order?.orderId ?? null,
			search: query.q ?? null,
			before: page.after,
		};
		const list = await listBoxes(listDb, filter, page.limit);
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
		orders: orders.map(({ orderId, ref, externalOrderId, shipmentId, customer, placedAt }) =>
			asReply({ orderId, ref, externalOrderId, shipmentId, customer, placedAt }),
		),
	};
}

function mountCombine(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const { links, labels, executeIn } = deps;
	const combine: Write<typeof CombineBoxes> = async (tx, { body }, more) => {
		const orderIds = await ordersToCombine(tx, body.order_ids);
		if (isRefusal(orderIds)) return orderIds;
		const [answer] = await executeIn(tx, [{ kind: "combine", orderIds }], more);
		if (isRefusal(answer)) return onThisSurface(answer);
		const { shipmentId, already } = must(answer, "the answer of a combine");
		const data = operatorBoxReply(await showBox(tx, shipmentId), links);
		return { status: 200, data, about: shipmentId, changed: !already };
	};
	mountWrite(gate, deps, CombineBoxes, combine, {
		async ask({ body }) {
			const orderIds = body.dry_run ? null : await ordersToCombine(deps.readDb, body.order_ids);
			if (orderIds === null || isRefusal(orderIds)) return undefined; // the write reports the problem
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

/** Lets the use cases of orders run inside the transaction of a write. */
const inWrite = ({ executeIn }: ShippingAdminDeps, tx: Query, more: unknown): ChangeDeps => ({
	db: tx,
	engine: {
		execute: (async (command: OrderCommand) => {
			const [answer] = await executeIn(tx, [command], more);
			return answer;
		}) as ChangeDeps["engine"]["execute"],
	},
});

const boxDone = (box: BoxNow, links: Links, changed = true) => ({
	status: 200 as const,
	data: operatorBoxReply(box, links),
	about: box.record.shipment.shipmentId,
	changed,
});

/** The current state of a box that is named by its id, or by an order that waits in it, for edits of the box. */
async function readNamedBox(db: Query, links: Links, { id }: { readonly id: string }) {
	const found = await findNamedBox(db, id);
	if (isRefusal(found)) return found;
	if (found.box === null)
		return refuse("not_possible_now", `Order ${found.order.called} is in no box that waits to be shipped.`);
	return operatorBoxReply(await showBox(db, found.box.shipmentId), links);
}

interface ParcelBody {
	readonly carrier?: string;
	readonly service?: string;
	readonly tracking_number?: string;
	readonly other_carrier?: boolean;
	readonly same_parcel?: boolean;
}

const parcelOf = ({ carrier, service, tracking_number }: ParcelBody) => ({
	carrierCode: carrier ?? null,
	serviceCode: service ?? null,
	trackingNumber: tracking_number ?? null,
});

/** Refuses probable typing errors in a parcel's data, because partners track parcels by them. */
async function refuseMistyped(db: Query, carriers: TrackingUrls, order: string, body: ParcelBody) {
	const { other_carrier: otherCarrier = false, same_parcel: sameParcel = false } = body;
	const [wrong] = await checkParcels(db, carriers, [{ order, ...parcelOf(body) }], { otherCarrier, sameParcel });
	return wrong === undefined ? null : refuse("invalid_input", `${wrong.message}.`);
}

function mountPick(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const pick: Write<typeof PickOrder> = async (tx, { params, body }, more) => {
		const lots = body.lots?.map(({ fg_id, units }) => ({ fgId: fg_id.toLowerCase(), units }));
		const answer = await pickNamedOrder(inWrite(deps, tx, more), params.id, lots);
		if (isRefusal(answer)) return onThisSurface(answer);
		const { orderId, ref, externalOrderId, status, picked, why, changed } = answer;
		const data = { order_id: orderId, ref, external_order_id: externalOrderId, status, picked, why };
		return { status: 200, data, about: orderId, changed };
	};
	mountWrite(gate, deps, PickOrder, pick, { read: (tx, params) => readNamedOrder(tx, deps.links, params) });
}

function mountLabel(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const { links, carriers } = deps;
	const label: Write<typeof LabelBox> = async (tx, { params, body }, more) => {
		const mistyped = await refuseMistyped(tx, carriers, params.id, body);
		if (mistyped !== null) return mistyped;
		const found = await findNamedBox(tx, params.id);
		if (isRefusal(found)) return found;
		const parcel = { ...parcelOf(body), trackingNumber: body.tracking_number };
		const before = found.box?.status === "label_created" ? await showBox(tx, found.box.shipmentId) : null;
		const { carrierCode, serviceCode, trackingNumber } = before?.record.shipment ?? {};
		const isSo =
			carrierCode === parcel.carrierCode &&
			serviceCode === parcel.serviceCode &&
			trackingNumber === parcel.trackingNumber;
		if (before !== null && isSo) return boxDone(before, links, false);
		const answer = await changeNamedBox(inWrite(deps, tx, more), found, { kind: "createLabel", ...parcel });
		return isRefusal(answer) ? onThisSurface(answer) : boxDone(answer, links);
	};
	mountWrite(gate, deps, LabelBox, label, { read: (tx, params) => readNamedBox(tx, links, params) });
}

function mountShip(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const { links, carriers } = deps;
	const ship: Write<typeof ShipBox> = async (tx, { caller, params, body, requestId }, more) => {
		const mistyped = await refuseMistyped(tx, carriers, params.id, body);
		if (mistyped !== null) return mistyped;
		const found = await findNamedBox(tx, params.id);
		if (isRefusal(found)) return found;
		const gone = body.parts === undefined ? leftAlready(found, body.tracking_number) : undefined;
		if (gone) return boxDone(await showBox(tx, gone.shipmentId), links, false);
		const foreignPart = (body.parts ?? []).findIndex(
			({ order_id: id }) => id !== undefined && !found.box?.orders.some(({ orderId }) => orderId === id.toLowerCase()),
		);
		if (found.box !== null && foreignPart >= 0)
			return refuse("invalid_input", `/parts/${foreignPart}/order_id: this order is not waiting in this box`);
		const answer = await changeNamedBox(inWrite(deps, tx, more), found, {
			kind: "ship",
			origin: { actor: actorOf(caller), requestId },
			items: body.parts?.map(({ sku, qty }) => ({ sku, qty })) ?? null,
			...parcelOf(body),
		});
		return isRefusal(answer) ? onThisSurface(answer) : boxDone(answer, links);
	};
	mountWrite(gate, deps, ShipBox, ship, { read: (tx, params) => readNamedBox(tx, links, params) });
}

/** The box to ship if it has already left: the named box, or the order's box under this tracking number. */
function leftAlready({ box, boxes }: NamedBox, trackingNumber: string | undefined) {
	const isSo = (one: NamedBox["boxes"][number], number: string | null | undefined): boolean =>
		one.status === "shipped" && one.trackingNumber === number;
	if (box === null) return boxes.find((one) => trackingNumber !== undefined && isSo(one, trackingNumber));
	return isSo(box, trackingNumber ?? box.trackingNumber) ? box : undefined;
}

function mountVoid(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const { links } = deps;
	const undo: Write<typeof VoidBox> = async (tx, { caller, params, requestId }, more) => {
		const shipmentId = await findBoxToVoid(tx, params.id);
		if (isRefusal(shipmentId)) return asImpossible(shipmentId, "wrong_state");
		const before = await readBox(tx, links, { id: shipmentId });
		if (isRefusal(before)) return before;
		if (before.status === "voided") return { status: 200, data: before, about: shipmentId, changed: false };
		const origin = { actor: actorOf(caller), requestId };
		const answer = await voidShipmentById(inWrite(deps, tx, more), shipmentId, origin);
		if (!isRefusal(answer)) return boxDone(answer, links);
		return refuse(answer.refusal === "retry" ? "retry" : "not_possible_now", answer.message);
	};
	mountWrite(gate, deps, VoidBox, undo, {
		async read(tx, { id }) {
			const shipmentId = await findBoxToVoid(tx, id);
			return isRefusal(shipmentId)
				? asImpossible(shipmentId, "wrong_state")
				: await readBox(tx, links, { id: shipmentId });
		},
	});
}

/**
 * On this surface, one code covers every write that the state of an order or a box forbids (operator contract, section
 * 8).
 */
function onThisSurface({ refusal, message }: Refusal) {
	switch (refusal) {
		case "invalid_input":
			return refuse(
				"invalid_input",
				message.replace("/order_refs:", "/order_ids:").replace("/tracking:", "/tracking_number:"),
			);
		case "retry":
		case "order_not_found":
			return refuse(refusal, message);
		default:
			return refuse("not_possible_now", message);
	}
}

function mountPapers(gate: Gate<Operator>, deps: ShippingAdminDeps): void {
	const pack: Write<typeof PackOrder> = async (tx, { params, body }) => {
		const found = await slipOfBox(tx, params.id, body.paper ?? "A4");
		if (isRefusal(found)) return asImpossible(found, "wrong_state");
		const { shipmentId, slip } = found;
		const headers = {
			"X-Shipment-Id": shipmentId,
			"Content-Disposition": `inline; filename="packing-slip-${shipmentId}.pdf"`,
		};
		return { status: 200, type: PDF_TYPE, content: await renderPackingSlip(slip), headers, about: shipmentId };
	};
	mountWrite(gate, deps, PackOrder, pack);

	const makePickList: Write<typeof MakePickList> = async (tx, { body, headers }) => {
		const { order_ids: names, to_pick: toPick = false, brand_code, boxes, paper = "A4" } = body;
		if (names !== undefined && (brand_code ?? boxes) !== undefined)
			return refuse("invalid_input", "/order_ids: give either orders, or brand_code and boxes");
		const brandCode = await findBrand(tx, brand_code);
		if (isRefusal(brandCode)) return brandCode;
		const of = names === undefined ? { boxes: boxes ?? DEFAULT_BOXES, brandCode } : { names, toPick };
		const list = await pickListOf(tx, of);
		if (isRefusal(list)) return list;
		const about = `${list.orders} orders`;
		if (!wantsPdf(headers.Accept)) return { status: 200, data: asReply(list), about };
		const content = await renderPickList(list, { at: await selectNow(tx), paper });
		const file = { "Content-Disposition": 'inline; filename="pick-list.pdf"' };
		return { status: 200, type: PDF_TYPE, content, headers: file, about };
	};
	mountWrite(gate, deps, MakePickList, makePickList);
}

const wantsPdf = (accept = ""): boolean => accept.split(",").some((type) => type.split(";", 1)[0]?.trim() === PDF_TYPE);
