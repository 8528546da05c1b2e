import { must } from "../../ground/lib/assert.ts";
import { type HoldLine, linesOf, type Part } from "../holds/hold.ts";
import { wholeKits } from "../stock/count.ts";
import { holdOf } from "./change.ts";
import type { Order, ShipTo } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Shipment } from "./shipment.ts";

/** Units of one lot that an order has, or that were shipped for it. */
export interface RecordPart extends Pick<Part, "line" | "formulaId" | "fgId" | "units" | "state"> {
	readonly batchNumber: string;
}

/** What is in an order. */
export interface Contents {
	readonly lines: readonly HoldLine[];
	readonly parts: readonly RecordPart[];
}

/** An order as a box names it. */
export interface BoxedOrder extends Pick<Order, "orderId" | "ref" | "externalOrderId"> {
	readonly shipTo: ShipTo;
	/** Null: what is in the box is written down with it. */
	readonly contents: Contents | null;
}

/** A box with everything that its reply says. */
export interface ShipmentRecord {
	readonly shipment: Readonly<Shipment>;
	readonly brandCode: string | null;
	readonly orders: readonly BoxedOrder[];
}

/** An order with everything that its reply says: the same from a book and from the tables. */
export interface OrderRecord {
	readonly order: Readonly<Order>;
	readonly brandCode: string | null;
	readonly contents: Contents;
	readonly shipments: readonly ShipmentRecord[];
}

/** An order as it is in the book; later commands of the batch may change it. Its hold's lines were read. */
export function recordOf(book: BookWithOrders, order: Order): OrderRecord {
	const brandCode = book.catalog.poolsById.get(order.poolId)?.brandCode ?? null;
	const contents = contentsOf(book, order);
	const { orderId, ref, externalOrderId, customer, shipmentIds } = order;
	const boxed: BoxedOrder = { orderId, ref, externalOrderId, shipTo: customer.ship_to, contents };
	const shipments = shipmentIds.map((id) => {
		const shipment = must(book.orders.shipments.get(id), `box ${id}`);
		return { shipment: { ...shipment }, brandCode, orders: [boxed] };
	});
	return { order: { ...order }, brandCode, contents, shipments };
}

/** What is in an order of the book. */
export function contentsOf(book: BookWithOrders, order: Order): Contents {
	const hold = holdOf(book, order);
	const parts: RecordPart[] = [];
	for (const { line, formulaId, fgId, units, state } of hold.parts) {
		if (state !== "allocated" && state !== "shipped") continue; // no longer the order's
		const { batchNumber } = must(book.stock.lotsById.get(fgId), `locked lot ${fgId}`);
		parts.push({ line, formulaId, fgId, units, state, batchNumber });
	}
	return { lines: linesOf(hold), parts };
}

/** Kits of a line of which every part has been shipped. */
export const shippedKits = (parts: readonly RecordPart[], components: HoldLine["components"]): number =>
	wholeKits(
		components.map(({ formula_id, per_kit }) => ({ perKit: per_kit, formula_id })),
		({ formula_id }) => {
			let units = 0;
			for (const part of parts) if (part.formulaId === formula_id && part.state === "shipped") units += part.units;
			return units;
		},
	);
