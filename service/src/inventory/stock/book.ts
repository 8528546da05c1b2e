import type { Catalog } from "../catalog/catalog.ts";
import type { ResolvedLines } from "../catalog/resolve-lines.ts";
import type { StockView } from "./count.ts";
import { byFefo, type Lot } from "./lot.ts";
import type { Move } from "./move.ts";
import { type MoreStock, noStockNeeds, type StockNeeds } from "./needs.ts";
import type { Promised } from "./promised.ts";
import { RecalledBatches } from "./recalled.ts";
import type { Shelves } from "./shelves.ts";

/**
 * The snapshot one batch decides on: rows locked in the database, changed in memory by one command after the other, and
 * written back together. Nothing outside the transaction sees it. Each room has its part of it.
 */
export interface BookWithStock {
	/** The database's clock after every lock was granted; milliseconds since 1970. */
	readonly now: number;
	/** The day it is then in the operator's time zone, YYYY-MM-DD. */
	readonly today: string;
	/** IANA name. */
	readonly timeZone: string;
	readonly catalog: Catalog;
	readonly stock: StockBook;
}

/** The lots of a book, and the moves between their buckets. */
export class StockBook implements StockView<Lot> {
	readonly today: string;
	/** What was locked: whole shelves and single lots. */
	readonly locked: MoreStock;
	/** What the lines of commands mean in the book's catalogue. */
	readonly resolved: ReadonlyMap<object, ResolvedLines>;
	readonly lotsById = new Map<string, Lot>();
	readonly newLots = new Set<Lot>();
	readonly touchedLots = new Set<Lot>();
	/** Lots that the batch's commands recalled, and those whose recall they ended. */
	readonly newlyRecalled = new Set<Lot>();
	readonly noLongerRecalled = new Set<Lot>();
	/** Of the batches that the commands bring units of: those of which a lot is recalled, in whatever pool. */
	readonly recalledBatches = new RecalledBatches();
	/**
	 * Lots into which units came that are free because nothing of their batch was recalled. It must still be so at the
	 * commit.
	 */
	readonly broughtInFree = new Set<Lot>();
	readonly moves: Move[] = [];
	readonly #shelves = new Map<string, Map<number, Lot[]>>();
	/** Shelves to which a lot came since they were last read: a shelf is sorted once, not with each of its lots. */
	readonly #unsorted = new Set<Lot[]>();
	/** Where a reserve found too few units. */
	readonly shortShelves: Shelves = new Map();
	readonly #promised: Promised;
	/** The lots whose units may be given to anybody; null: all. */
	#certified: ReadonlySet<string> | null = null;

	constructor(today: string, promised: Promised, needs: StockNeeds = noStockNeeds()) {
		this.today = today;
		this.#promised = promised;
		this.locked = needs;
		this.resolved = needs.resolved;
	}

	addLot(lot: Lot): void {
		this.lotsById.set(lot.fgId, lot);
		if (lot.recalled) this.recalledBatches.add(lot);
		const pools = this.#shelves.get(lot.formulaId);
		if (!pools) {
			this.#shelves.set(lot.formulaId, new Map([[lot.poolId, [lot]]]));
			return;
		}
		const shelf = pools.get(lot.poolId);
		if (!shelf) pools.set(lot.poolId, [lot]);
		else {
			shelf.push(lot);
			this.#unsorted.add(shelf);
		}
	}

	/** From here on only these lots, by id, are counted and picked from (docs/decisions/0042). */
	countOnly(certified: ReadonlySet<string>): void {
		this.#certified = certified;
	}

	/** The lots of a shelf that may be counted and picked from, first expired first. */
	lots(formulaId: string, poolId: number): readonly Lot[] {
		const shelf = this.everyLot(formulaId, poolId);
		const certified = this.#certified;
		return certified === null ? shelf : shelf.filter(({ fgId }) => certified.has(fgId));
	}

	/** Every lot of a shelf, first expired first. */
	everyLot(formulaId: string, poolId: number): readonly Lot[] {
		const shelf = this.#shelves.get(formulaId)?.get(poolId);
		if (shelf === undefined) return NO_LOTS;
		if (this.#unsorted.delete(shelf)) shelf.sort(byFefo);
		return shelf;
	}

	promised(formulaId: string, poolId: number): number {
		return this.#promised.units(formulaId, poolId);
	}
}

const NO_LOTS: readonly Lot[] = [];
