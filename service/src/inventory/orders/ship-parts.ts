import { assert, must } from "../../ground/lib/assert.ts";
import { type Hold, linesOf, type Part } from "../holds/hold.ts";
import { outOfDateParts } from "../holds/repick.ts";
import { type Cause, move } from "../stock/move.ts";
import type { Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { shippedKits } from "./order-record.ts";
import type { PackedItem, PackedLot } from "./shipment.ts";

/** Kits of each line of an order, by the line's index. */
export type KitsByLine = ReadonlyMap<number, number>;

/** Unshipped kits of a line. A kit counts as shipped once its last unit has shipped. */
export function kitsLeft(hold: Hold, line: number): number {
	const { qty, components } = must(linesOf(hold)[line], "line of an order");
	const own = hold.parts.filter((part) => part.line === line);
	return qty - shippedKits(own, components);
}

/** Whether the order still has units of a recalled lot that the recall has not reached; they must not ship. */
export const hasRecalled = (book: BookWithOrders, hold: Hold): boolean =>
	hold.parts.some(({ state, fgId }) => state === "allocated" && book.stock.lotsById.get(fgId)?.recalled === true);

/**
 * Whether the order has units of a lot that has passed its date, and no pick has checked them. Units that nobody has
 * marked as picked may ship only in date, even if a part of the order has left.
 */
export const isUncheckedAndOld = (book: BookWithOrders, { pickedAt }: Order, hold: Hold): boolean =>
	pickedAt === null && outOfDateParts(book, hold).length > 0;

/** Ships kits of each line in picking order and returns the items. The caller has checked that the kits exist. */
export function shipKits(
	book: BookWithOrders,
	hold: Hold,
	orderId: string,
	kits: KitsByLine,
	why: Cause,
): PackedItem[] {
	const items: PackedItem[] = [];
	for (const [line, qty] of kits) {
		if (qty === 0) continue;
		const { sku, components } = must(linesOf(hold)[line], "line of an order");
		const lots: PackedLot[] = [];
		for (const { formula_id, per_kit } of components) {
			let left = qty * per_kit;
			for (const part of hold.parts.slice()) {
				if (left === 0) break;
				if (part.line !== line || part.formulaId !== formula_id || part.state !== "allocated") continue;
				const units = Math.min(left, part.units);
				lots.push(shipPart(book, hold, part, units, why));
				left -= units;
			}
			assert(left === 0, `order ${orderId} ships units that it does not have`);
		}
		items.push({ order_id: orderId, line, sku, qty, lots });
	}
	return items;
}

function shipPart(book: BookWithOrders, hold: Hold, part: Part, units: number, why: Cause): PackedLot {
	const lot = must(book.stock.lotsById.get(part.fgId), `locked lot ${part.fgId}`);
	move(book.stock, lot, "allocated", "shipped", units, why);
	splitPart(book, hold, part, units).state = "shipped";
	return { fg_id: lot.fgId, formula_id: part.formulaId, batch_number: lot.batchNumber, units };
}

/** Splits `units` off a part, or returns the part itself if that is all of it; the caller sets its state. */
function splitPart(book: BookWithOrders, hold: Hold, part: Part, units: number): Part {
	if (units === part.units) {
		book.holds.changePart(hold, part);
		return part;
	}
	const own: Part = { ...part, ordinal: hold.parts.length, units };
	part.units -= units;
	book.holds.changePart(hold, part);
	book.holds.addPart(hold, own);
	return own;
}

/** Returns the shipped units of one order to their lots because the shipment was voided. */
export function unshipItems(book: BookWithOrders, hold: Hold, items: readonly PackedItem[], why: Cause): void {
	for (const { line, lots } of items) {
		for (const { fg_id, units } of lots) {
			let left = units;
			for (const part of hold.parts.slice()) {
				if (left === 0) break;
				if (part.line !== line || part.fgId !== fg_id || part.state !== "shipped") continue;
				const back = Math.min(left, part.units);
				const lot = must(book.stock.lotsById.get(fg_id), `locked lot ${fg_id}`);
				// the order loses units of a recalled lot, as in a recall
				move(book.stock, lot, "shipped", lot.recalled ? "quarantined" : "allocated", back, why);
				splitPart(book, hold, part, back).state = lot.recalled ? "displaced" : "allocated";
				if (lot.recalled) book.holds.repicked.add(hold);
				left -= back;
			}
			assert(left === 0, `a shipment gives back units of lot ${fg_id} that were not shipped`);
		}
	}
}
