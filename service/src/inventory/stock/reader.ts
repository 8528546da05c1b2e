import { asError, must } from "../../ground/lib/assert.ts";
import { createBatcher } from "../../ground/lib/batcher.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { ReplicaBehind } from "../../ground/pg/faults.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { isOnReplica, type Reads } from "../../ground/pg/reads.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { StockView } from "./count.ts";
import type { Countable } from "./lot.ts";
import { createPromisedCache, type PromisedCache } from "./promised.ts";
import type { Shelves } from "./shelves.ts";
import { type SnapshotRow, selectSnapshot, stampsOf, toHead } from "./sql.ts";

/** The units of a lot as they are counted: those bound to lapsed holds count as free. */
export interface LotOnShelf extends Countable {
	readonly bound: number;
	readonly quarantined: number;
}

/** A consistent, unlocked snapshot of some shelves as of `asOf`; it may be stale a moment later. */
export interface StockSnapshot extends StockView<LotOnShelf> {
	readonly catalog: Catalog;
	/** Milliseconds since 1970, database clock. */
	readonly asOf: number;
	/** The moment to pass as `updated_since` when reading the catalogue again; milliseconds since 1970. */
	readonly catalogAsOf: number;
	/** The highest number of the catalogue that a page may have. */
	readonly catalogSettled: number;
	/** The batch number of a requested product's current certificate, or null. */
	currentCoa(slug: string): string | null;
}

/** One request for stock: the shelves it concerns, and the answer once they are read. Both pure. */
export interface Question<T> {
	/** The caller; owners get fair shares of each read. */
	readonly owner: string;
	/** Work to answer it; 1 for about ten lines. */
	readonly weight: number;
	/** The number of the catalogue up to which the caller has read. Absent: 0. */
	readonly after?: number;
	addShelves(catalog: Catalog, shelves: Shelves): void;
	/** Adds the slugs of products whose certificate it needs. Absent: none. */
	addSlugs?(catalog: Catalog, slugs: Set<string>): void;
	answer(snapshot: StockSnapshot): T;
}

export interface StockReader {
	/** Requests made at the same time are read together in one snapshot. */
	ask<T>(question: Question<T>): Promise<T | Refusal<"rate_limited">>;
	drain(): Promise<void>;
}

/** Maximum total weight of requests that are read together. */
const MAX_TOGETHER = 64;
/** Maximum weight of one owner's share while others wait. */
const MAX_SHARE = 16;
/** Maximum number of connections that read at the same time. */
export const READS_IN_FLIGHT = 2;

/** Weight that justifies another read while one is in flight. */
const WORTH_A_TRIP = 24;
/** Maximum number of attempts if catalogue or demand keeps changing. */
const MAX_READS = 20;

interface ReaderSettings {
	readonly catalog: CatalogCache;
	readonly timeZone: string;
	/** Whether units of a lot without a current certificate are unavailable. Default: false. */
	readonly certificatesRequired?: boolean;
}

/** Reads stock on the primary, as a reserve would find it at that instant. */
export function createStockReader(db: Database, settings: ReaderSettings): StockReader {
	const means = meansOf(settings);
	return readerOf((_owners, questions) => readSnapshot(db, means, questions));
}

/**
 * Reads stock for lists, also on a replica. `replicaCatalog`: the replica's own cache of the catalogue, because that of
 * the primary also serves reserves.
 */
export function createListReader(
	reads: Reads,
	settings: ReaderSettings & { readonly replicaCatalog: CatalogCache },
): StockReader {
	const ofPrimary = meansOf(settings);
	const ofReplica = meansOf({ ...settings, catalog: settings.replicaCatalog });
	return readerOf((owners, questions) =>
		reads.read(owners, (on) => readSnapshot(on, isOnReplica(on) ? ofReplica : ofPrimary, questions)),
	);
}

const meansOf = ({ catalog, timeZone, certificatesRequired = false }: ReaderSettings): Means => ({
	catalog,
	promised: createPromisedCache(),
	timeZone,
	certified: certificatesRequired,
});

function readerOf(
	read: (owners: readonly string[], questions: readonly Question<unknown>[]) => Promise<StockSnapshot>,
): StockReader {
	const batcher = createBatcher<Question<unknown>, unknown>(
		{
			maxWeight: MAX_TOGETHER,
			maxShare: MAX_SHARE,
			inFlight: READS_IN_FLIGHT,
			worthATrip: WORTH_A_TRIP,
			weigh: ({ weight }) => weight,
			owner: ({ owner }) => owner,
		},
		async (questions) => {
			const owners = [...new Set(questions.map(({ owner }) => owner))];
			const snapshot = await patiently(() => read(owners, questions));
			return questions.map((question) => {
				try {
					return question.answer(snapshot);
				} catch (error) {
					return asError(error); // the other requests still get answers
				}
			});
		},
	);
	return {
		ask: async <T>(question: Question<T>) => (await batcher.submit(question)) as T | Refusal<"rate_limited">,
		drain: () => batcher.drain(),
	};
}

interface Means extends Pick<ReaderSettings, "catalog" | "timeZone"> {
	readonly promised: PromisedCache;
	readonly certified: boolean;
}

async function readSnapshot(db: Query, means: Means, questions: readonly Question<unknown>[]): Promise<StockSnapshot> {
	for (let reads = 0; reads < MAX_READS; reads++) {
		// assumes that catalogue and demand are unchanged; the head of the snapshot confirms or denies it
		const catalog = means.catalog.guess();
		const promised = means.promised.guess();
		const shelves = shelvesOf(questions, catalog);
		const slugs = slugsOf(questions, catalog);
		const [head, ...rows] = await selectSnapshot(db, shelves, { ...means, slugs });
		const { stamps, ...read } = toHead(must(head, "the head of a snapshot"));
		if (questions.some(({ after = 0 }) => after > read.catalogSettled)) throw new ReplicaBehind("the catalogue");
		if (stamps === stampsOf(catalog, promised)) {
			const lots = lotsOf(rows, shelves);
			const coas = coasOf(rows, slugs);
			return {
				...read,
				catalog,
				currentCoa: (slug) => coas.get(slug) ?? null,
				lots: (formulaId, poolId) => lots.get(formulaId)?.get(poolId) ?? NONE,
				promised: promised.units,
			};
		}
		await Promise.all([means.catalog.read(db), means.promised.read(db)]);
	}
	throw new Error("the catalogue changed faster than it could be read");
}

function shelvesOf(questions: readonly Question<unknown>[], catalog: Catalog): Shelves {
	const shelves: Shelves = new Map();
	for (const question of questions) question.addShelves(catalog, shelves);
	return shelves;
}

function slugsOf(questions: readonly Question<unknown>[], catalog: Catalog): readonly string[] {
	const slugs = new Set<string>();
	for (const question of questions) question.addSlugs?.(catalog, slugs);
	return slugs.size === 0 ? NO_SLUGS : [...slugs];
}
const NO_SLUGS: readonly string[] = [];

function coasOf(rows: readonly SnapshotRow[], slugs: readonly string[]): ReadonlyMap<string, string> {
	const coas = new Map<string, string>();
	if (slugs.length === 0) return coas;
	for (const [place, poolId, , , , more] of rows) {
		if (poolId === null) coas.set(must(slugs[place - 1], "slug of a row"), must(more, "batch of a row"));
	}
	return coas;
}

type LotsOnShelves = Map<string, Map<number, LotOnShelf[]>>;

function lotsOf(rows: readonly SnapshotRow[], shelves: Shelves): LotsOnShelves {
	const lots: LotsOnShelves = new Map();
	const formulaIds = [...shelves.keys()];
	for (const [place, poolId, available, bound, expiresOn, quarantined] of rows) {
		if (poolId === null) continue;
		const formulaId = must(formulaIds[place - 1], "formula of a row");
		// units bound to a lapsed hold arrive as free units of a separate row with the same expiry
		putLot(lots, formulaId, poolId, {
			expiresOn,
			available,
			bound,
			quarantined: quarantined === null ? 0 : Number(quarantined),
		});
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

const NONE: readonly LotOnShelf[] = [];
