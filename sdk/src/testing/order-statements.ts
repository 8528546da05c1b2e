import { must } from "../../../service/src/ground/lib/assert.ts";
import type { Reader } from "../../../service/src/ground/pg/table.ts";
import { linesOf } from "../../../service/src/inventory/holds/hold.ts";
import type { Order } from "../../../service/src/inventory/orders/order.ts";
import { isWaiting, type Shipment } from "../../../service/src/inventory/orders/shipment.ts";
import { orderReader, shipmentReader } from "../../../service/src/inventory/orders/sql.ts";
import { byNumber, type Rows } from "./rows.ts";
import { type Means, pageOf, type Statements } from "./statement.ts";

/** The statements about orders and boxes. */
export function orderStatements({ rows, engine }: Means): Statements {
	const tuples = new OrderTuples(rows, (poolId) => engine.open().catalog.poolsById.get(poolId)?.brandCode ?? null);
	const page = (after: number, most: number) => ({ numbers: rows.boxNumbers, now: engine.open().now, after, most });
	const ownOrders = (keyId: string, ...conditions: ((order: Order) => boolean)[]) =>
		[...rows.orders.values()]
			.filter((order) => order.keyId === keyId && conditions.every((holds) => holds(order)))
			.map((order): [number, ...unknown[]] => [tuples.number(order.orderId), ...tuples.order(order)]);
	const boxes = (
		[after, most]: readonly [number, number],
		[poolId, since, status]: BoxFilter,
		isAsked: (box: Shipment) => boolean = () => true,
	) => {
		const listed = [...rows.shipments.values()].filter(
			(box) =>
				isAsked(box) &&
				(poolId === null || box.poolId === poolId) &&
				(since === null || must(rows.listed.get(box.shipmentId), "a listed box").at >= Date.parse(since)) &&
				(status === null || box.status === status),
		);
		return pageOf(listed.map((box) => tuples.listedBox(box)).sort(byNumber), page(after, most));
	};
	return {
		find_orders: (orderId: string | null, keyId: string | null, ref: string) =>
			[
				...[...rows.orders.values()].filter((order) => order.orderId === orderId),
				...[...rows.orders.values()].filter((order) => order.keyId === keyId && order.ref === ref),
			].map((order) => [order.orderId, order.reservationToken, order.keyId, order.partnerId, order.status]),
		select_order: (orderId: string) => {
			const order = rows.orders.get(orderId);
			return order === undefined ? [] : [tuples.order(order)];
		},
		select_shipment: (shipmentId: string) => {
			const box = rows.shipments.get(shipmentId);
			return box === undefined ? [] : [tuples.box(box)];
		},
		select_own_orders: (after: number, most: number, keyId: string) => pageOf(ownOrders(keyId), page(after, most)),
		select_some_own_orders: (after: number, most: number, keyId: string, status: Status, placed: string | null) =>
			pageOf(ownOrders(keyId, hasStatus(status), placedAfter(placed)), page(after, most), [null]),
		select_own_orders_named: (
			after: number,
			most: number,
			keyId: string,
			name: string,
			status: Status,
			placed: string | null,
		) => {
			const isNamed = ({ externalOrderId }: Order): boolean => externalOrderId === name;
			return pageOf(ownOrders(keyId, isNamed, hasStatus(status), placedAfter(placed)), page(after, most));
		},
		select_shipments: (after: number, most: number, ...filter: BoxFilter) => boxes([after, most], filter),
		select_unshipped: (after: number, most: number, ...filter: BoxFilter) => boxes([after, most], filter),
		select_shipments_of_order: (after: number, most: number, ...asked: [...BoxFilter, orderId: string]) => {
			const [poolId, since, status, orderId] = asked;
			return boxes([after, most], [poolId, since, status], (box) => tuples.isOrWasOf(box, orderId));
		},
		select_box_of_order: (orderId: string) => {
			const { now, catalog } = engine.open();
			const box = [...rows.shipments.values()].find((one) => isWaiting(one) && one.orderIds.includes(orderId));
			return (box?.orderIds ?? []).map((id) => {
				const order = must(rows.orders.get(id), "an order in a box");
				const acts = actsOutHeld(rows, order, (sku) => catalog.skus.get(sku)?.testBehaviour === "held");
				const facts = [order.status, order.serviceLevel, now - order.placedAt, acts];
				return [box?.shipmentId, id, order.reservationToken, ...facts];
			});
		},
	};
}

type Status = string | null;
type BoxFilter = readonly [poolId: number | null, since: string | null, status: Status];

const hasStatus =
	(status: Status) =>
	(order: Order): boolean =>
		status === null || order.status === status;
const placedAfter =
	(time: string | null) =>
	({ placedAt }: Order): boolean =>
		time === null || placedAt > Date.parse(time);

/** Whether an order of the sandbox is to be put on hold, and was not yet. */
export const actsOutHeld = (rows: Rows, order: Order, holdsUp: (sku: string) => boolean): boolean =>
	!rows.wereHeld.has(order.orderId) &&
	linesOf(must(rows.holds.get(order.reservationToken), "the hold of an order")).some(({ sku }) => holdsUp(sku));

/** Orders and boxes in the form in which the service's statements select them. */
class OrderTuples {
	readonly #rows: Rows;
	readonly #brandOf: (poolId: number) => string | null;

	constructor(rows: Rows, brandOf: (poolId: number) => string | null) {
		this.#rows = rows;
		this.#brandOf = brandOf;
	}

	number = (id: string): number => must(this.#rows.listed.get(id), "a listed row").number;

	firstOrder = ({ orderIds }: Shipment): Order => must(this.#rows.orders.get(orderIds[0] ?? ""), "the first order");

	/** Also the cancelled box that an order left when it was combined. */
	isOrWasOf(box: Shipment, orderId: string): boolean {
		const isIn = this.#rows.orders.get(orderId)?.shipmentIds.includes(box.shipmentId) === true;
		return isIn || (box.status === "cancelled" && box.orderIds[0] === orderId);
	}

	order(order: Order): unknown[] {
		const boxes = order.shipmentIds.map((id) => this.box(must(this.#rows.shipments.get(id), `box ${id}`)));
		return [this.#brandOf(order.poolId), ...this.#contents(order), boxes, ...columnsOf(orderReader, order)];
	}

	box(box: Shipment): unknown[] {
		const orders = box.orderIds.map((id) => {
			const order = must(this.#rows.orders.get(id), "an order in a box");
			const { orderId, ref, externalOrderId, customer } = order;
			const [lines, parts] = box.items === null ? this.#contents(order) : [null, null];
			return { orderId, ref, externalOrderId, shipTo: customer.ship_to, lines, parts };
		});
		return [this.#brandOf(box.poolId), orders, ...columnsOf(shipmentReader, box)];
	}

	listedBox(box: Shipment): [number, ...unknown[]] {
		return [this.number(box.shipmentId), this.firstOrder(box).partnerId, ...this.box(box)];
	}

	/** The lines of an order's hold, and the parts that still belong to the order. */
	#contents({ reservationToken }: Order): [lines: unknown, parts: unknown[]] {
		const hold = must(this.#rows.holds.get(reservationToken), "the hold of an order");
		const parts = hold.parts.flatMap(({ line, formulaId, fgId, units, state }) => {
			if (state !== "allocated" && state !== "shipped") return [];
			const { batchNumber } = must(this.#rows.lots.get(fgId), "the lot of a part");
			return [[line, formulaId, fgId, batchNumber, units, state]];
		});
		return [linesOf(hold), parts];
	}
}

/** A row's columns in the order of its reader. The reader is run on the positions themselves to find that order. */
function columnsOf<Row extends object>(reader: Reader<Row>, row: Row): unknown[] {
	const positions = reader.decode(Array.from({ length: reader.width }, (_, index) => index));
	const columns: unknown[] = [];
	for (const [field, at] of Object.entries(positions)) columns[at as number] = row[field as keyof Row];
	return columns;
}
