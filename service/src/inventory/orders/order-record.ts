import { must } from "../../ground/lib/assert.ts";
import { type HoldLine, linesOf, type Part } from "../holds/hold.ts";
import { wholeKits } from "../stock/count.ts";
import { holdOf } from "./change.ts";
import type { Order, ShipTo } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import type { Shipment } from "./shipment.ts";

/** Units of one lot that belong to an order or were shipped for it. */
export interface RecordPart extends Pick<Part, "line" | "formulaId" | "fgId" | "units" | "state"> {
	readonly batchNumber: string;
}

export interface Contents {
	readonly lines: readonly HoldLine[];
	readonly parts: readonly RecordPart[];
}

export interface BoxedOrder extends Pick<Order, "orderId" | "ref" | "externalOrderId"> {
	readonly shipTo: ShipTo;
	/** Null: the box records its own contents. */
	readonly contents: Contents | null;
}

export interface ShipmentRecord {
	readonly shipment: Readonly<Shipment>;
	readonly brandCode: string | null;
	readonly orders: readonly BoxedOrder[];
}

/** An order with everything for its reply; the same whether it comes from a book or from the database. */
export interface OrderRecord {
	readonly order: Readonly<Order>;
	readonly brandCode: string | null;
	readonly contents: Contents;
	readonly shipments: readonly ShipmentRecord[];
}

/** A copy of a book's order, because later commands may change it. Its hold's lines must have been read. */
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

export function contentsOf(book: BookWithOrders, order: Order): Contents {
	const hold = holdOf(book, order);
	const parts: RecordPart[] = [];
	for (const { line, formulaId, fgId, units, state } of hold.parts) {
		if (state !== "allocated" && state !== "shipped") continue; // no longer belongs to the order
		const { batchNumber } = must(book.stock.lotsById.get(fgId), `locked lot ${fgId}`);
		parts.push({ line, formulaId, fgId, units, state, batchNumber });
	}
	return { lines: linesOf(hold), parts };
}

/** Kits of a line that have shipped completely. */
export const shippedKits = (
	parts: readonly Pick<Part, "formulaId" | "state" | "units">[],
	components: HoldLine["components"],
): number =>
	wholeKits(
		components.map(({ formula_id, per_kit }) => ({ perKit: per_kit, formula_id })),
		({ formula_id }) => {
			let units = 0;
			for (const part of parts) if (part.formulaId === formula_id && part.state === "shipped") units += part.units;
			return units;
		},
	);
