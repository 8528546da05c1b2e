import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import { type Hold, unitsIn, unitsLacking } from "../holds/hold.ts";
import type { BookWithHolds } from "../holds/hold-book.ts";
import type { ListedHold } from "../holds/list-holds-sql.ts";
import { type OrderOwner, selectOwners } from "../orders/operator-sql.ts";
import { isOpen, mustBePickedAgain, type Order } from "../orders/order.ts";
import { type LotOfBatch, selectLotsOfBatch } from "../stock/find-lot-sql.ts";
import type { OrderOfMove } from "../stock/list-lots-sql.ts";
import type { StockRules } from "../stock/read-stock-around.ts";
import { findPacked, type PackedOrder, type RecallTimes, type TakenOrder } from "./find-packed.ts";
import { selectRestored } from "./packed-sql.ts";
import { decideRecall, type RecallStep } from "./recall.ts";
import * as sql from "./sql.ts";
import { visitHolders } from "./visit-holders.ts";

export interface ImpairedHold extends OrderOwner, Pick<ListedHold, "reservationToken" | "externalRef" | "expiresAt"> {
	/** Units that it lacks because of the lots. */
	readonly units: number;
}

/** An order that is held because of the recall. */
export interface HeldOrder extends OrderOwner, OrderOfMove {
	/** Units that it lacks because of the lots. */
	readonly units: number;
	readonly placedAt: Date;
}

/** The report on a recall: everything that partners must be told. */
export interface RecallReport {
	readonly lots: readonly sql.RecallableLot[];
	readonly shippedOrders: readonly sql.ShippedOrder[];
	readonly consumed: readonly sql.ConsumedReference[];
	/** Shipments of reported orders, not of partners. */
	readonly shippedElsewhere: readonly sql.ShippedElsewhere[];
	readonly impairedHolds: readonly ImpairedHold[];
	readonly heldOrders: readonly HeldOrder[];
	readonly packedOrders: readonly (OrderOwner & Omit<PackedOrder, "keyId">)[];
	/** Units of each lot that were restored since the recall began, by its id. */
	readonly restored: ReadonlyMap<string, number>;
	/** The units that a recall would move now; null: not requested. */
	readonly forecast: Omit<RecallStep, "left"> | null;
}

interface Question extends StockRules {
	/** Whether to compute what a recall would move now. */
	readonly forecast: boolean;
	/** The times of the recall; null: it is only planned. */
	readonly times: RecallTimes | null;
}

/**
 * Reports the recipients of lots, and the holds and orders that lack units of them. With `forecast`, also reports the
 * effect of a recall, which is decided on the snapshot by the real rules and not written. Blocks no other transaction.
 */
export const reportRecall = (db: Database, fgIds: readonly string[], question: Question): Promise<RecallReport> =>
	snapshot(db, (tx) => reportIn(tx, fgIds, question));

/**
 * Lots that a recall of a batch number misses because their number is only nearly the same. Leaves out recalled lots.
 */
export async function findNearLots(
	db: Query,
	target: { readonly batchNumber: string } | { readonly fgId: string },
): Promise<LotOfBatch[]> {
	if ("fgId" in target) return [];
	const near = (await selectLotsOfBatch(db, target.batchNumber)).filter(
		(lot) => lot.batchNumber !== target.batchNumber && lot.sandboxOf === null,
	);
	const { rows } = await sql.selectRecallableLots(
		db,
		near.map(({ fgId }) => fgId),
	);
	const recalled = new Set(rows.filter(({ recalledAt }) => recalledAt !== null).map(({ fgId }) => fgId));
	return near.filter(({ fgId }) => !recalled.has(fgId));
}

async function reportIn(tx: Query, fgIds: readonly string[], question: Question): Promise<RecallReport> {
	const lots = await sql.selectRecallableLots(tx, fgIds);
	const shipped = await sql.selectShippedOrders(tx, fgIds);
	const consumed = await sql.selectConsumedReferences(tx, fgIds);
	const elsewhere = await sql.selectShippedElsewhere(tx, fgIds);
	const bad = lots.rows.filter(({ recalledAt }) => question.forecast || recalledAt !== null);
	const batches = new Map(bad.map(({ fgId, batchNumber }) => [fgId, batchNumber]));
	const { forecast, holds, orders, taken } = await findLosers(tx, fgIds, batches, question);
	const packed = await findPacked(tx, taken, fgIds, question.times);
	const restored = question.times === null ? [] : (await selectRestored(tx, fgIds, question.times.from)).rows;
	const keyIds = [...new Set([...holds, ...orders, ...packed].map(({ keyId }) => keyId))];
	const owners = new Map((await selectOwners(tx, keyIds)).rows.map(({ keyId, ...owner }) => [keyId, owner]));
	const withOwner = <T extends { readonly keyId: string }>({ keyId, ...rest }: T) => ({
		...must(owners.get(keyId), `key ${keyId}`),
		...rest,
	});
	const byPartner = (a: OrderOwner, b: OrderOwner): number =>
		a.partner === b.partner ? 0 : a.partner < b.partner ? -1 : 1;
	return {
		lots: lots.rows,
		shippedOrders: shipped.rows,
		consumed: consumed.rows,
		shippedElsewhere: elsewhere.rows,
		impairedHolds: holds.map(withOwner).sort(byPartner),
		heldOrders: orders.map(withOwner).sort(byPartner),
		packedOrders: packed.map(withOwner).sort(byPartner),
		restored: new Map(restored.map(({ fgId, units }) => [fgId, units])),
		forecast,
	};
}

type OfKey<T> = Omit<T, keyof OrderOwner> & { readonly keyId: string };
interface Losers {
	readonly holds: OfKey<ImpairedHold>[];
	readonly orders: OfKey<HeldOrder>[];
	readonly taken: TakenOrder[];
	readonly forecast: RecallReport["forecast"];
}

/**
 * Finds the holds and orders that lack units of these lots, and the orders whose units of the lots in `batches` may
 * have been taken from the shelf.
 */
async function findLosers(
	tx: Query,
	fgIds: readonly string[],
	batches: ReadonlyMap<string, string>,
	question: Question,
): Promise<Losers> {
	const forecast = { moved: 0, replaced: 0, lost: 0 };
	const losers: Losers = { holds: [], orders: [], taken: [], forecast: question.forecast ? forecast : null };
	const lots = new Set(fgIds);
	const tokens = (await sql.selectConcerned(tx, fgIds)).rows.map(({ token }) => token);
	// the first visit has no holders and recalls all lots
	await visitHolders(tx, question, { fgIds, tokens }, (book, holders) => {
		for (const token of holders)
			noteTaken(losers, must(book.holds.byToken.get(token), "a holder"), book.orders.byToken.get(token), batches);
		if (question.forecast) recallOn(book, fgIds, holders, forecast);
		for (const token of holders)
			noteLoser(losers, must(book.holds.byToken.get(token), "a holder"), book.orders.byToken.get(token), lots);
		return true;
	});
	return losers;
}

function recallOn(
	book: BookWithHolds,
	fgIds: readonly string[],
	holders: readonly string[],
	forecast: { moved: number; replaced: number; lost: number },
): void {
	const origin = { actor: "system:forecast", requestId: null };
	const step = decideRecall(book, { origin, fgIds, reason: "forecast", holders });
	if (isRefusal(step)) return; // refused only if a lot does not exist, which cannot be: lots are never deleted
	forecast.moved += step.moved;
	forecast.replaced += step.replaced;
	forecast.lost += step.lost;
}

/** Must be called before the forecast changes the hold. */
function noteTaken(
	{ taken }: Losers,
	{ keyId, parts }: Hold,
	order: Order | undefined,
	batches: ReadonlyMap<string, string>,
): void {
	if (order === undefined || !isOpen(order.status)) return;
	const batchNumbers = new Set<string>();
	let units = 0;
	let bound = 0;
	for (const part of parts) {
		const batch = batches.get(part.fgId);
		if (batch === undefined || (part.state !== "allocated" && part.state !== "displaced")) continue;
		units += part.units;
		if (part.state === "allocated") bound += part.units;
		batchNumbers.add(batch);
	}
	const isPickedAnew = bound === 0 && order.pickedAt !== null && !mustBePickedAgain(order);
	if (units === 0 || isPickedAnew) return;
	const { orderId, ref, externalOrderId, pickedAt } = order;
	const picked = pickedAt === null ? null : new Date(pickedAt);
	taken.push({ keyId, orderId, ref, externalOrderId, units, batchNumbers: [...batchNumbers], pickedAt: picked });
}

function noteLoser(losers: Losers, hold: Hold, order: Order | undefined, lots: ReadonlySet<string>): void {
	const parts = hold.parts.filter(({ fgId }) => lots.has(fgId));
	const units = Math.min(unitsIn("displaced", parts), unitsLacking(hold)); // the other lost units were replaced
	if (units === 0) return;
	const { reservationToken, keyId, externalRef, expiresAt } = hold;
	if (order !== undefined) {
		if (!isOpen(order.status)) return;
		const { orderId, ref, externalOrderId, placedAt } = order;
		losers.orders.push({ keyId, orderId, ref, externalOrderId, units, placedAt: new Date(placedAt) });
	} else if (hold.status === "active") {
		losers.holds.push({ keyId, reservationToken, externalRef, units, expiresAt: new Date(expiresAt) });
	}
}
