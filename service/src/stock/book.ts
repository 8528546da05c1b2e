import type { Catalog } from "../catalog/catalog.ts";
import { byFefo, type Lot } from "./lot.ts";
import type { Move } from "./move.ts";
import type { Promised } from "./promised.ts";
import type { StockView } from "./view.ts";

export interface BookFacts {
	/** The database's clock after every lock was granted; milliseconds since 1970. */
	readonly now: number;
	readonly today: string;
	readonly timeZone: string;
	readonly catalog: Catalog;
	readonly promised: Promised;
}

/**
 * The snapshot one batch decides on: rows locked in the database, changed in memory by one command after the other, and
 * written back together. Nothing outside the transaction sees it.
 */
export class Book implements StockView<Lot> {
	readonly now: number;
	readonly today: string;
	readonly timeZone: string;
	readonly catalog: Catalog;
	readonly lotsById = new Map<string, Lot>();
	readonly newLots = new Set<Lot>();
	readonly touchedLots = new Set<Lot>();
	readonly moves: Move[] = [];
	readonly #shelves = new Map<string, Map<number, Lot[]>>();
	/** Shelves to which a lot came since they were last read: a shelf is sorted once, not with each of its lots. */
	readonly #unsorted = new Set<Lot[]>();
	readonly #promised: Promised;

	constructor(facts: BookFacts) {
		this.now = facts.now;
		this.today = facts.today;
		this.timeZone = facts.timeZone;
		this.catalog = facts.catalog;
		this.#promised = facts.promised;
	}

	addLot(lot: Lot): void {
		this.lotsById.set(lot.fgId, lot);
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

	/** The lots of a shelf, first expired first. */
	lots(formulaId: string, poolId: number): readonly Lot[] {
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
