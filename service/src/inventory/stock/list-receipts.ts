import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { Cursors } from "../../ground/lib/cursor.ts";
import { type Page, readDay, readPage, takePage, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Reads } from "../../ground/pg/reads.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { drawOfBrand } from "../catalog/brand.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import { type Catalog, visibleSku } from "../catalog/catalog.ts";
import type { Receipts } from "./contract.ts";
import { inDate } from "./lot.ts";
import { type ReceiptRow, selectReceipts } from "./receipt-sql.ts";

export type ReceiptPage = Static<(typeof Receipts)["replies"][200]>;

type ReceiptsRefusal = Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">;

interface Deps {
	readonly reads: Pick<Reads, "read">;
	/** The catalogue as the server of this connection has it: the primary or the replica. */
	readonly catalogOf: (on: Query) => CatalogCache;
	readonly cursors: Cursors;
	/** Serializes page reads from the database, with fair turns. */
	readonly pages: Turns;
	/** IANA name; decides the current day. */
	readonly timeZone: string;
	/** Whether units of a lot without a current certificate are unavailable. */
	readonly certificatesRequired: boolean;
}

type Asked = Static<(typeof Receipts)["query"]>;

/**
 * Receipts into the brand's own stock, by lot and day, in the order of changes. A receipt that changed appears again,
 * so a reader that follows the cursor misses nothing (docs/decisions/0033).
 */
export const listReceipts = (
	deps: Deps,
	caller: Caller,
	asked: Asked,
): Promise<ReceiptPage | ReceiptsRefusal | Refusal<"rate_limited">> =>
	deps.pages.take(caller.keyId, () =>
		patiently(() => deps.reads.read([caller.keyId], (on) => readReceipts(on, deps, caller, asked))),
	);

async function readReceipts(
	on: Query,
	{ catalogOf, cursors, timeZone, certificatesRequired }: Deps,
	caller: Caller,
	asked: Asked,
): Promise<ReceiptPage | ReceiptsRefusal> {
	const read = await catalogOf(on).read(on);
	const formulaIds = asked.sku === undefined ? null : formulasOf(read, caller, asked.sku);
	const page = readFilters(cursors, caller, asked, formulaIds);
	if (isRefusal(page)) return page;
	const draw = drawOfBrand(caller, asked.brand_code, read);
	if (isRefusal(draw)) return draw;
	const { rows, asOfMs } = await selectReceipts(on, page, [
		must(draw.pools[0], "the brand's pool"),
		caller.environment === "sandbox",
		timeZone,
		asked.from ?? null,
		asked.to ?? null,
		formulaIds,
		asked.batch_number ?? null,
		certificatesRequired,
	]);
	return writePage(
		page,
		takePage(page, rows, ([version]) => version),
		receiptOf,
		asOfMs,
	);
}

/** The formulas of a SKU's recipe; none if the key cannot see the SKU. */
const formulasOf = (catalog: Catalog, { environment }: Caller, sku: string): string[] =>
	visibleSku(catalog, sku, environment)?.components.map(({ formula }) => formula.formulaId) ?? [];

/** The cursor is bound to the formulas of its SKU: once the recipe changes, receipts before the cursor may match. */
function readFilters(
	cursors: Cursors,
	{ keyId }: Caller,
	{ from, to, sku, batch_number, brand_code, limit, cursor }: Asked,
	formulaIds: readonly string[] | null,
): Page | Refusal<"invalid_input"> {
	for (const day of [readDay("from", from), readDay("to", to)]) if (isRefusal(day)) return day;
	return readPage(cursors, { limit, cursor }, [keyId, from, to, sku, batch_number, brand_code, formulaIds?.join()]);
}

function receiptOf(row: ReceiptRow): ReceiptPage["items"][number] {
	const [, receipt_id, received_on, formula_id, formula_name, skus, batch_number, expires_on, ...rest] = row;
	const [units_received, units_corrected, free, units_quarantined, updatedAtMs, today] = rest;
	return {
		receipt_id,
		received_on,
		formula_id,
		formula_name,
		skus,
		batch_number,
		expires_on,
		units_received,
		units_available: inDate({ expiresOn: expires_on }, today) ? free : 0,
		units_quarantined,
		units_corrected,
		updated_at: toRfc3339(updatedAtMs),
	};
}
