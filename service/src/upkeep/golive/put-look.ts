import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { CoaLinks } from "../../inventory/certificates/record.ts";
import { check } from "../../inventory/stock/check.ts";
import type { StockReader } from "../../inventory/stock/reader.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { ShownItem } from "./facts.ts";
import { MOST_ITEMS } from "./limits.ts";
import { deleteOldLooks, insertLook, type NewLook, selectCurrentDocuments } from "./look-sql.ts";
import type { GoLiveRun } from "./run.ts";
import type { ReadShown } from "./shown-document.ts";

export interface LookDeps {
	/** Writes a look in one statement. */
	readonly db: Query;
	readonly readDb: Query;
	readonly reader: StockReader;
	readonly links: Pick<CoaLinks, "fileUrl">;
}

/**
 * Keeps what a partner shows, beside what is true at that instant. `caller`: the run's key. Returns the time of the
 * look, or null where it was not kept (`insertLook`).
 */
export async function putLook(
	deps: LookDeps,
	{ goLiveId, mapped }: GoLiveRun,
	caller: Caller,
	look: Pick<NewLook, "id" | "source"> & { readonly shown: ReadShown },
): Promise<number | null> {
	const { id, source, shown } = look;
	const items = "items" in shown ? shown.items : [];
	const skus = [...new Set([...items.map(({ sku }) => sku), ...mapped])].slice(0, 2 * MOST_ITEMS);
	const [counts, documents] = await Promise.all([countsOf(deps.reader, caller, skus), documentsOf(deps, caller, skus)]);
	const problem = "problem" in shown ? shown.problem : counts === null ? "too many others ask for counts" : null;
	const kept: readonly ShownItem[] = problem === null ? items : [];
	const at = await insertLook(deps.db, goLiveId, { id, source, problem, items: kept, counts: counts ?? {}, documents });
	if (at !== null) await deleteOldLooks(deps.db, goLiveId);
	return at;
}

/**
 * `atp_qty` of each SKU that has one, as `GET /api/v1/inventory` returns it for the key; null: it cannot be read now.
 */
async function countsOf(
	reader: StockReader,
	caller: Caller,
	skus: readonly string[],
): Promise<Record<string, number> | null> {
	if (skus.length === 0) return {};
	const counted = await check(
		reader,
		caller,
		skus.map((sku) => ({ sku, qty: 1 })),
	);
	if (isRefusal(counted)) return null;
	const known = counted.items.filter((item) => item.known && item.tracks_inventory);
	return Object.fromEntries(known.map(({ sku, atp_qty }) => [sku, atp_qty]));
}

/** The addresses of the PDFs of current certificates by SKU. */
async function documentsOf(
	{ readDb, links }: LookDeps,
	{ environment }: Caller,
	skus: readonly string[],
): Promise<Record<string, readonly string[]>> {
	const { rows } = await selectCurrentDocuments(readDb, environment, skus);
	const bySku = Map.groupBy(rows, ({ sku }) => sku);
	return Object.fromEntries(
		[...bySku].map(([sku, documents]) => [
			sku,
			documents.map(({ certificateId, digest }) => links.fileUrl(certificateId, digest as never)),
		]),
	);
}
