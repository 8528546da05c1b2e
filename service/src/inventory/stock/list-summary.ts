import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import type { Cursors } from "../../ground/lib/cursor.ts";
import { firstAbove, type Page, type PageRows, readPage, takePage, upTo, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Reads } from "../../ground/pg/reads.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { drawOfBrand } from "../catalog/brand.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type SoldFormula, soldFormulas } from "../catalog/sold-formulas.ts";
import { selectPrepaid } from "../prepaid/sql.ts";
import type { Summary } from "./contract.ts";
import type { StockReader, StockSnapshot } from "./reader.ts";
import { addShelves } from "./shelves.ts";
import { summaryOf } from "./summary.ts";

/** The weight of a page, measured in small requests. */
const PAGE_WEIGHT = 4;

export type SummaryPage = Static<(typeof Summary)["replies"][200]>;
type SummaryRefusal = Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">;

type Asked = Static<(typeof Summary)["query"]>;

/** A page of counts, and the pool whose mirror of prepaid units applies. */
interface Counted {
	readonly page: Omit<SummaryPage, "items"> & { readonly items: readonly ReturnType<typeof summaryOf>[] };
	readonly poolId: number;
}

/**
 * Units that can be shipped for a brand, by formula, in the order of catalogue changes, so that a reader that follows
 * the cursor misses no formula (docs/decisions/0033). Prepaid units are read separately and change no count.
 */
export async function listSummary(
	{
		reader,
		reads,
		cursors,
	}: { readonly reader: StockReader; readonly reads: Pick<Reads, "read">; readonly cursors: Cursors },
	caller: Caller,
	asked: Asked,
): Promise<SummaryPage | SummaryRefusal | Refusal<"rate_limited">> {
	const page = readPage(cursors, asked, [caller.keyId, asked.brand_code]);
	if (isRefusal(page)) return page;
	const counted = await reader.ask({
		owner: caller.keyId,
		weight: PAGE_WEIGHT,
		after: page.after,
		addShelves: (catalog, shelves) => {
			const draw = drawOfBrand(caller, asked.brand_code, catalog);
			if (isRefusal(draw)) return;
			for (const { formula } of pageOf(catalog, caller, page).rows) addShelves(shelves, formula.formulaId, draw.pools);
		},
		answer: (snapshot) => count(snapshot, caller, asked, page),
	});
	if (isRefusal(counted)) return counted;
	const { items, ...rest } = counted.page;
	const ids = items.map(({ formula_id }) => formula_id);
	const readPrepaid = () => reads.read([caller.keyId], (on) => selectPrepaid(on, [counted.poolId, ids]));
	const prepaid = new Map(await patiently(readPrepaid));
	return { ...rest, items: items.map((item) => ({ ...item, prepaid_units: prepaid.get(item.formula_id) ?? 0 })) };
}

function count(snapshot: StockSnapshot, caller: Caller, asked: Asked, page: Page): Counted | SummaryRefusal {
	const draw = drawOfBrand(caller, asked.brand_code, snapshot.catalog);
	if (isRefusal(draw)) return draw;
	const listed = pageOf(snapshot.catalog, caller, page);
	const rows = upTo(page, listed, snapshot.catalogSettled, ({ formula }) => formula.version);
	return {
		page: writePage(page, rows, (sold) => summaryOf(snapshot, sold, draw), snapshot.asOf),
		poolId: must(draw.pools[0], "the brand's pool"),
	};
}

function pageOf(catalog: Catalog, { environment }: Caller, page: Page): PageRows<SoldFormula> {
	const sold = soldFormulas(catalog, environment);
	const first = firstAbove(sold, page.after, ({ formula }) => formula.version);
	// one row beyond the limit shows whether another page follows
	return takePage(page, sold.slice(first, first + page.limit + 1), ({ formula }) => formula.version);
}
