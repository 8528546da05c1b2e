import type { CatalogCache } from "../catalog/cache.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { must } from "../lib/assert.ts";
import { createBatcher } from "../lib/batcher.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { Database, Query } from "../pg/connect.ts";
import { patiently } from "../pg/patience.ts";
import { type TransactionOptions, transaction } from "../pg/transaction.ts";
import type { Countable } from "./lot.ts";
import { createPromisedCache, type Promised, type PromisedCache } from "./promised.ts";
import type { Shelves } from "./shelves.ts";
import { selectLapsedUnits, selectShelfLots, selectTransactionInstant } from "./sql.ts";
import type { StockView } from "./view.ts";

/** A lot as a count sees it: what lapsed holds still bind counts as free. Units. */
export interface LotOnShelf extends Countable {
	readonly held: number;
	readonly allocated: number;
}

/** A consistent, unlocked look at some shelves: true at the instant `asOf`, perhaps stale a moment later. */
export interface Look extends StockView<LotOnShelf> {
	readonly catalog: Catalog;
	/** Milliseconds since 1970, database clock. */
	readonly asOf: number;
}

/** One question about stock: which shelves it concerns, and the answer once they are read. Both pure. */
export interface Question<T> {
	addShelves(catalog: Catalog, shelves: Shelves): void;
	answer(look: Look): T;
}

export interface StockReader {
	/** Questions asked together are read together, in one snapshot. */
	ask<T>(question: Question<T>): Promise<T | Refusal<"rate_limited">>;
	drain(): Promise<void>;
}

/** Questions that wait at most. */
const MAX_WAITING = 10_000;
/** Questions read together. */
const MAX_TOGETHER = 64;
/** Connections reading at once. */
export const READS_IN_FLIGHT = 2;

const SNAPSHOT: TransactionOptions = { isolation: "repeatable read", readOnly: true };

/** `db` may be a replica: nothing read here decides anything. */
export function createStockReader(
	db: Database,
	{ catalog, timeZone }: { readonly catalog: CatalogCache; readonly timeZone: string },
): StockReader {
	const caches = { catalog, promised: createPromisedCache() };
	const batcher = createBatcher<Question<unknown>, unknown>(
		{ maxWaiting: MAX_WAITING, maxWeight: MAX_TOGETHER, inFlight: READS_IN_FLIGHT },
		async (questions) => {
			const look = await patiently(() => lookAt(db, caches, timeZone, questions));
			return questions.map((question) => {
				try {
					return question.answer(look);
				} catch (error) {
					return error instanceof Error ? error : new Error(String(error)); // its neighbours are answered
				}
			});
		},
	);
	return {
		ask: async <T>(question: Question<T>) => (await batcher.submit(question)) as T | Refusal<"rate_limited">,
		drain: () => batcher.drain(),
	};
}

async function lookAt(
	db: Database,
	caches: { readonly catalog: CatalogCache; readonly promised: PromisedCache },
	timeZone: string,
	questions: readonly Question<unknown>[],
): Promise<Look> {
	return transaction(
		db,
		async (tx) => {
			// everything goes out in one write, on the guess that the catalogue has not changed; when it has, the shelves are read again
			const guess = caches.catalog.guess();
			const [catalog, promised, instant, read] = await Promise.all([
				caches.catalog.read(tx),
				caches.promised.read(tx),
				selectTransactionInstant(tx, [timeZone]),
				readShelves(tx, shelvesOf(questions, guess)),
			]);
			const [asOf, today] = must(instant[0], "the instant");
			const lots = catalog === guess ? read : await readShelves(tx, shelvesOf(questions, catalog));
			return lookOf(lots, { catalog, promised, asOf, today });
		},
		SNAPSHOT,
	);
}

function shelvesOf(questions: readonly Question<unknown>[], catalog: Catalog): Shelves {
	const shelves: Shelves = new Map();
	for (const question of questions) question.addShelves(catalog, shelves);
	return shelves;
}

/** Lots by formula and pool. */
type LotsOnShelves = Map<string, Map<number, LotOnShelf[]>>;

async function readShelves(tx: Query, shelves: Shelves): Promise<LotsOnShelves> {
	const lots: LotsOnShelves = new Map();
	if (shelves.size === 0) return lots;
	const [rows, lapsed] = await Promise.all([selectShelfLots(tx, shelves), selectLapsedUnits(tx, shelves)]);
	const formulaIds = [...shelves.keys()];
	for (const [n, poolId, expiresOn, available, held, allocated] of rows) {
		putLot(lots, must(formulaIds[n - 1], "formula"), poolId, { expiresOn, available, held, allocated });
	}
	// what a hold past its end still binds counts as free: as much of a lot that expires the same day
	for (const [formulaId, poolId, expiresOn, units] of lapsed) {
		putLot(lots, formulaId, poolId, { expiresOn, available: units, held: -units, allocated: 0 });
	}
	return lots;
}

function putLot(lots: LotsOnShelves, formulaId: string, poolId: number, lot: LotOnShelf): void {
	let pools = lots.get(formulaId);
	if (!pools) {
		pools = new Map();
		lots.set(formulaId, pools);
	}
	const shelf = pools.get(poolId);
	if (shelf) shelf.push(lot);
	else pools.set(poolId, [lot]);
}

type Facts = Pick<Look, "catalog" | "asOf" | "today"> & { readonly promised: Promised };

const lookOf = (lots: LotsOnShelves, { promised, ...facts }: Facts): Look => ({
	...facts,
	lots: (formulaId, poolId) => lots.get(formulaId)?.get(poolId) ?? NONE,
	promised: promised.none ? () => 0 : promised.units,
});

const NONE: readonly LotOnShelf[] = [];
