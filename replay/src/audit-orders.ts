import type { BoxAnswer, OrderAnswer } from "./answers.ts";
import { kitsLeft, kitsOf, kitsShipped, type OrderFile } from "./order-file.ts";

/**
 * Compares orders and events at the end with what the replay did, and with its answers. Returns one line per problem.
 */

/** Compares an order's final state with what was done to it. */
export function auditOrder(file: OrderFile, order: OrderAnswer): string[] {
	const faults: string[] = [];
	const fault = (what: string): void => void faults.push(`order ${file.ref}, ${order.status}: ${what}`);
	const shipped = kitsShipped(file);
	if (order.order_id !== file.orderId || order.ref !== file.ref) fault(`it is ${order.order_id}, ${order.ref}`);
	if (!mayBe(file, order.status))
		fault(`${[...shipped.values()].length} SKUs were shipped, cancelled: ${file.cancelled}`);
	const asked = order.items.map(({ sku, qty }) => `${sku} x ${qty}`).join();
	if (asked !== file.lines.map(({ sku, qty }) => `${sku} x ${qty}`).join()) fault(`it has other lines: ${asked}`);
	const said = kitsOf(order.items.map(({ sku, shipped_qty }) => ({ sku, qty: shipped_qty })));
	for (const [sku, qty] of said) {
		if (qty !== (shipped.get(sku) ?? 0)) fault(`${shipped.get(sku) ?? 0} of ${sku} were shipped, it says ${qty}`);
	}
	for (const { formula_id, units, lots } of order.items.flatMap(({ components }) => components)) {
		const has = lots.reduce((sum, lot) => sum + lot.units, 0);
		const right = order.status === "cancelled" ? has === 0 : has === units || (order.status === "held" && has < units);
		if (!right) fault(`${units} units of ${formula_id}, it has ${has}`);
	}
	return faults;
}

/** Whether an order can have this status after what was done to it. */
function mayBe(file: OrderFile, status: OrderAnswer["status"]): boolean {
	if (file.cancelled || status === "cancelled") return file.cancelled && status === "cancelled";
	if (status === "held") return true;
	if (file.boxes.size === 0) return status === "placed" || (status === "picked" && file.picked);
	return status === (kitsLeft(file).size === 0 ? "shipped" : "partially_shipped");
}

/**
 * The compared fields of an event. `left`: the content of the box, as written by `contentsOf`; null: the event is not
 * about a box.
 */
export interface EventSeen {
	readonly type: string;
	readonly orderId: string;
	readonly boxId: string | null;
	readonly left: string | null;
}

interface EventBody {
	readonly type: string;
	readonly data: {
		readonly order_id: string;
		readonly shipment?: {
			readonly shipment_id: string;
			readonly items: readonly {
				readonly sku: string;
				readonly qty: number;
				readonly lots: readonly { readonly batch_number: string; readonly units: number }[];
			}[];
		};
	};
}

/** Parses an event from the text that is signed and sent. */
export function toEvent(text: string): EventSeen {
	const { type, data } = JSON.parse(text) as EventBody;
	const box = data.shipment;
	return {
		type,
		orderId: data.order_id,
		boxId: box?.shipment_id ?? null,
		left: box === undefined ? null : contentsOf(box.items),
	};
}

/**
 * Kits, and units by batch, in a canonical order. Events do not name formulas: parts of a kit with the same batch
 * number count as one batch.
 */
const contentsOf = (items: Required<EventBody["data"]>["shipment"]["items"]): string =>
	items
		.map(({ sku, qty, lots }) => {
			const batches = [...kitsOf(lots.map((lot) => ({ sku: lot.batch_number, qty: lot.units })))];
			return `${qty} x ${sku}: ${batches
				.map(([batch, units]) => `${batch} ${units}`)
				.toSorted()
				.join(", ")}`;
		})
		.toSorted()
		.join("; ");

/**
 * Each box that left has exactly one event for each of its orders, with its lots; each time an order was put on hold
 * has one event.
 */
export function auditEvents(
	events: readonly EventSeen[],
	orders: ReadonlyMap<string, OrderAnswer>,
	files: ReadonlyMap<string, OrderFile>,
): string[] {
	const faults: string[] = [];
	const told = new Map<string, string | null>();
	const held = new Map<string, number>();
	for (const { type, orderId, boxId, left } of events) {
		if (!orders.has(orderId)) faults.push(`an event is about order ${orderId}, which nobody placed`);
		if (type === "order.held") held.set(orderId, (held.get(orderId) ?? 0) + 1);
		if (type !== "order.shipped") continue;
		if (told.has(`${boxId} ${orderId}`)) faults.push(`order ${orderId} has two events about box ${boxId}`);
		told.set(`${boxId} ${orderId}`, left);
	}
	for (const [orderId, order] of orders) {
		for (const box of order.shipments.filter(({ shipped_at }) => shipped_at !== null)) {
			const left = told.get(`${box.shipment_id} ${orderId}`);
			const expected = contentsOf(box.items.filter((item) => item.order_id === orderId));
			if (left === undefined) faults.push(`order ${order.ref}: no event reports box ${box.shipment_id}`);
			else if (left !== expected) faults.push(`order ${order.ref}: ${expected} left, its event reports ${left}`);
			told.delete(`${box.shipment_id} ${orderId}`);
		}
		const times = held.get(orderId) ?? 0;
		if (!wasHeld(order, files.get(orderId)).includes(times))
			faults.push(`order ${order.ref}: held, told ${times} times`);
	}
	for (const key of told.keys()) faults.push(`an event reports box and order ${key}, which never left`);
	return faults;
}

/** How often an order can have been put on hold: once for each release, and once more if it is still on hold. */
function wasHeld({ status }: OrderAnswer, file: OrderFile | undefined): number[] {
	const releases = file?.releases ?? 0;
	if (status === "held") return [releases + 1];
	// a partner may cancel an order that a recall has just put on hold
	return status === "cancelled" ? [releases, releases + 1] : [releases];
}

/** Every box named by orders, once. */
export const boxesOf = (orders: Iterable<OrderAnswer>): BoxAnswer[] => [
	...new Map([...orders].flatMap(({ shipments }) => shipments.map((box) => [box.shipment_id, box] as const))).values(),
];
