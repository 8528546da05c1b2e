import type { Rows } from "../../ground/engine/rows.ts";
import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Source } from "../../ground/pg/sources.ts";
import type { BookWithStock } from "./book.ts";
import { neededLots } from "./needed-lots-sql.ts";
import type { MoreStock, StockNeeds } from "./needs.ts";
import { saveStock } from "./save-sql.ts";
import { findBatchIds, findSiblingIds, selectLotIds, selectRecalledLots, toLot } from "./sql.ts";

/** Lots that another transaction keeps locked, by id and by shelf. */
export interface LockedLots {
	readonly fgIds: Set<string>;
	/** Formula and pool, as formatted by `shelfKey`. */
	readonly shelves: Set<string>;
}

export const noLockedLots = (): LockedLots => ({ fgIds: new Set(), shelves: new Set() });

const shelfKey = (formulaId: string, poolId: number): string => `${formulaId}/${poolId}`;

/** Lots, from every source through which a batch may need them, and the new ledger entries. */
export function lotRows<N extends StockNeeds>(sources: readonly Source<N>[]): Rows<N, BookWithStock, LockedLots> {
	const needed = neededLots(sources);
	return {
		async find(tx, { siblingsOf, batches, fgIds }) {
			const [siblings, known] = await Promise.all([
				siblingsOf.size > 0 ? findSiblingIds(tx, [[...siblingsOf]]) : [],
				batches.length > 0 ? findBatchIds(tx, columnsOf(batches)) : [],
			]);
			for (const [fgId] of [...siblings, ...known]) fgIds.add(fgId);
		},
		async lock(tx, needs) {
			const { siblingsOf, batches, broughtInto } = needs;
			const [lots, siblings, recalled] = await Promise.all([
				needed.lock(tx, needs),
				siblingsOf.size > 0 ? findSiblingIds(tx, [[...siblingsOf]]) : [],
				batches.length + broughtInto.size > 0 ? selectRecalledLots(tx, batches, broughtInto) : [],
			]);
			return ({ stock }) => {
				for (const lot of lots) stock.addLot(toLot(lot));
				for (const [fgId, formulaId, batchNumber] of recalled)
					if (!stock.lotsById.has(fgId)) stock.recalledBatches.add({ fgId, formulaId, batchNumber });
				// Lots of these formulas may have been added since `find`. Locking all lots of the formulas lets units
				// be picked from the new ones, too.
				lockAlso(stock, siblings);
			};
		},
		recheck: (tx, { stock }) => (stock.shortShelves.size === 0 ? null : findNewLots(tx, stock)),
		save: saveStock,
		async findLocked(tx, needs, locked) {
			const lots = await needed.keptLocked(tx, needs);
			for (const [fgId, formulaId, poolId] of lots) {
				locked.fgIds.add(fgId);
				locked.shelves.add(shelfKey(formulaId, poolId));
			}
			return lots.length > 0;
		},
		conflictsWith: ({ fgIds, batches, shelves }, locked) =>
			[...fgIds].some((fgId) => locked.fgIds.has(fgId)) ||
			batches.some(({ formulaId, poolId }) => locked.shelves.has(shelfKey(formulaId, poolId))) ||
			[...shelves].some(([formulaId, pools]) =>
				pools.some((poolId) => locked.shelves.has(shelfKey(formulaId, poolId))),
			),
	};
}

const columnsOf = (batches: StockNeeds["batches"]): unknown[][] =>
	(["formulaId", "poolId", "batchNumber"] as const).map((name) => batches.map((batch) => batch[name]));

/** Restarts the batch if one of these lots is not locked. @throws NeedsMoreLocks */
export function lockAlso({ lotsById, locked }: BookWithStock["stock"], lots: readonly [fgId: string][]): void {
	const missing = lots.map(([fgId]) => fgId).filter((fgId) => !lotsById.has(fgId));
	if (missing.length === 0) return;
	throw new NeedsMoreLocks<MoreStock>({
		shelves: new Map(locked.shelves),
		fgIds: new Set([...locked.fgIds, ...missing]),
	});
}

/**
 * Before a reserve is refused for lack of units: checks whether a lot was added to the short shelves while the batch
 * waited for its locks. Nothing else needs this check: references are looked up under the locks, and the locks and the
 * unique index stop stale grants.
 */
async function findNewLots(tx: Query, stock: BookWithStock["stock"]): Promise<void> {
	lockAlso(stock, await selectLotIds(tx, stock.shortShelves));
}
