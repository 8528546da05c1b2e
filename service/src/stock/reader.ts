import type { CatalogCache } from "../catalog/cache.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { must } from "../lib/assert.ts";
import { createBatcher } from "../lib/batcher.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { Database, Query } from "../pg/connect.ts";
import { patiently } from "../pg/patience.ts";
import { type TransactionOptions, transaction } from "../pg/transaction.ts";
import { byFefo } from "./lot.ts";
import { selectPromised, selectShelfLots, selectTransactionInstant } from "./sql.ts";
import { poolKey, type StockView } from "./view.ts";

/** A lot as a count sees it: what lapsed holds still bind counts as free. Units. */
export interface LotOnShelf {
	readonly fgId: string;
	readonly expiresOn: string | null;
	readonly receivedOn: string;
	readonly available: number;
	readonly held: number;
	readonly allocated: number;
}

/** A formula in a pool. */
export interface ShelfOf {
	readonly formulaId: string;
	readonly poolId: number;
}

/** A consistent, unlocked look at some shelves: true at the instant `asOf`, perhaps stale a moment later. */
export interface Look extends StockView<LotOnShelf> {
	readonly catalog: Catalog;
	/** Milliseconds since 1970, database clock. */
	readonly asOf: number;
}

/** One question about stock: which shelves it concerns, and the answer once they are read. Both pure. */
export interface Question<T> {
	shelves(catalog: Catalog): readonly ShelfOf[];
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
	const batcher = createBatcher<Question<unknown>, unknown>(
		{ maxWaiting: MAX_WAITING, maxWeight: MAX_TOGETHER, inFlight: READS_IN_FLIGHT },
		async (questions) => {
			const look = await patiently(() => lookAt(db, catalog, timeZone, questions));
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
	cache: CatalogCache,
	timeZone: string,
	questions: readonly Question<unknown>[],
): Promise<Look> {
	return transaction(
		db,
		async (tx) => {
			// everything goes out in one write, on the guess that the catalogue has not changed; when it has, the shelves are read again
			const guess = cache.guess();
			const guessed = shelvesOf(questions, guess);
			const [catalog, instant, read] = await Promise.all([
				cache.read(tx),
				selectTransactionInstant(tx, [timeZone]),
				readShelves(tx, guessed),
			]);
			const [asOf, today] = must(instant[0], "the instant");
			const shelves = catalog === guess ? read : await readShelves(tx, shelvesOf(questions, catalog));
			return { ...shelves, catalog, asOf, today };
		},
		SNAPSHOT,
	);
}

function shelvesOf(questions: readonly Question<unknown>[], catalog: Catalog): ShelfOf[] {
	const shelves = new Map<string, ShelfOf>();
	for (const question of questions) {
		for (const shelf of question.shelves(catalog)) shelves.set(poolKey(shelf.formulaId, shelf.poolId), shelf);
	}
	return [...shelves.values()];
}

async function readShelves(tx: Query, shelves: readonly ShelfOf[]): Promise<Pick<Look, "lots" | "promised">> {
	const lots = new Map<string, LotOnShelf[]>();
	const promised = new Map<string, number>();
	if (shelves.length > 0) {
		const columns = [shelves.map((s) => s.formulaId), shelves.map((s) => s.poolId)];
		const [lotRows, promisedRows] = await Promise.all([selectShelfLots(tx, columns), selectPromised(tx, columns)]);
		const keyOf = (n: number): string => {
			const { formulaId, poolId } = must(shelves[n - 1], "shelf");
			return poolKey(formulaId, poolId);
		};
		for (const [n, fgId, expiresOn, receivedOn, available, held, allocated] of lotRows) {
			const lot = { fgId, expiresOn, receivedOn, available, held, allocated };
			const shelf = lots.get(keyOf(n));
			if (shelf) shelf.push(lot);
			else lots.set(keyOf(n), [lot]);
		}
		for (const shelf of lots.values()) if (shelf.length > 1) shelf.sort(byFefo);
		for (const [n, units] of promisedRows) promised.set(keyOf(n), units);
	}
	return {
		lots: (formulaId, poolId) => lots.get(poolKey(formulaId, poolId)) ?? NONE,
		promised: (formulaId, poolId) => promised.get(poolKey(formulaId, poolId)) ?? 0,
	};
}

const NONE: readonly LotOnShelf[] = [];
