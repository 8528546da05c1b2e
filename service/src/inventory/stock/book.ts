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
 * The snapshot that one batch decides on: rows are locked in the database, changed in memory by one command after
 * another, and written back together. Each room adds its own part.
 */
export interface BookWithStock {
	/** The database's clock after all locks were granted; milliseconds since 1970. */
	readonly now: number;
	/** The current day in the operator's time zone, YYYY-MM-DD. */
	readonly today: string;
	/** IANA name. */
	readonly timeZone: string;
	readonly catalog: Catalog;
	readonly stock: StockBook;
}

export class StockBook implements StockView<Lot> {
	readonly today: string;
	readonly locked: MoreStock;
	/** The commands' lines, resolved in the book's catalogue. */
	readonly resolved: ReadonlyMap<object, ResolvedLines>;
	readonly lotsById = new Map<string, Lot>();
	readonly newLots = new Set<Lot>();
	readonly touchedLots = new Set<Lot>();
	/** Lots recalled by the batch's commands, and lots whose recall they ended. */
	readonly newlyRecalled = new Set<Lot>();
	readonly noLongerRecalled = new Set<Lot>();
	/** Recalled lots, in any pool, of the batch numbers of which commands bring in units. */
	readonly recalledBatches = new RecalledBatches();
	/** Lots that received free units because no lot of their batch was recalled, which must still hold at commit. */
	readonly broughtInFree = new Set<Lot>();
	readonly moves: Move[] = [];
	readonly #shelves = new Map<string, Map<number, Lot[]>>();
	/** Shelves that got a lot since the last read; each is sorted once, not after every lot. */
	readonly #unsorted = new Set<Lot[]>();
	/** Shelves where a reserve found too few units. */
	readonly shortShelves: Shelves = new Map();
	readonly #promised: Promised;
	/** The lots whose units may be counted and picked; null: all. */
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

	/** From now on, only these lots, by id, are counted and picked from (docs/decisions/0042). */
	countOnly(certified: ReadonlySet<string>): void {
		this.#certified = certified;
	}

	/** Lots of a shelf that may be counted and picked from, first expired first. */
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
