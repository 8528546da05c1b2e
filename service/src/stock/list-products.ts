import type { Static } from "typebox";
import { type Draw, drawOf, isUnknownBrand } from "../catalog/brand.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { environmentOf, isListed, type Sku, tracksInventory } from "../catalog/sku.ts";
import type { Caller } from "../keys/key.ts";
import { toRfc3339 } from "../lib/clock.ts";
import { filterDigest, readCursor, writeCursor } from "../lib/cursor.ts";
import { parseInstant } from "../lib/instant.ts";
import { isRefusal, type Refusal, refuse } from "../lib/refusal.ts";
import { PRODUCTS_PAGE_DEFAULT, type Products } from "./contract.ts";
import { countSku, earliestExpiry, NO_COUNT } from "./count.ts";
import type { Look, StockReader } from "./reader.ts";
import { addShelvesOfSku } from "./shelves.ts";

/** A page of products, in small questions: most of its work is shared by whoever asks for a page at the same time. */
const PAGE_WEIGHT = 4;

export type ProductPage = Static<(typeof Products)["replies"][200]>;
type ProductsRefusal = Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">;
interface Asked {
	readonly updated_since?: string;
	readonly brand_code?: string;
	readonly sku?: string;
	readonly limit?: number;
	readonly cursor?: string;
}

/** A page of what this key may sell, in the order of catalogue changes, so that a reader who follows the cursor misses nothing. */
export async function listProducts(
	reader: StockReader,
	caller: Caller,
	asked: Asked,
): Promise<ProductPage | ProductsRefusal | Refusal<"rate_limited">> {
	const page = readPage(caller, asked);
	if (isRefusal(page)) return page;
	return reader.ask({
		owner: caller.keyId,
		weight: PAGE_WEIGHT,
		addShelves: (catalog, shelves) => {
			const draw = drawOf(caller, asked.brand_code, catalog);
			if (isRefusal(draw) || isUnknownBrand(draw)) return;
			for (const sku of pageOf(catalog, caller, page).skus) addShelvesOfSku(shelves, sku, draw.pools);
		},
		answer: (look) => answerProducts(look, caller, asked, page),
	});
}

interface Page {
	readonly after: number;
	readonly limit: number;
	readonly sku: string | undefined;
	/** Milliseconds since 1970. */
	readonly updatedSince: number | undefined;
	readonly filters: string;
}

function readPage(caller: Caller, asked: Asked): Page | Refusal<"invalid_input"> {
	const filters = filterDigest([caller.keyId, asked.updated_since, asked.brand_code, asked.sku]);
	const after = asked.cursor === undefined ? 0 : readCursor(asked.cursor, filters);
	if (isRefusal(after)) return after;
	const updatedSince = asked.updated_since === undefined ? undefined : parseInstant(asked.updated_since);
	if (updatedSince === null) {
		return refuse("invalid_input", "/updated_since: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)");
	}
	return { after, limit: asked.limit ?? PRODUCTS_PAGE_DEFAULT, sku: asked.sku, updatedSince, filters };
}

function answerProducts(look: Look, caller: Caller, asked: Asked, page: Page): ProductPage | ProductsRefusal {
	const draw = drawOf(caller, asked.brand_code, look.catalog);
	if (isRefusal(draw)) return draw;
	if (isUnknownBrand(draw)) {
		return refuse("unknown_brand_code", `there is no brand ${JSON.stringify(draw.unknownBrand)}`);
	}
	const { skus, hasMore, last } = pageOf(look.catalog, caller, page);
	return {
		items: skus.map((sku) => productOf(look, sku, draw)),
		next_cursor: writeCursor(last, page.filters),
		has_more: hasMore,
		as_of: toRfc3339(look.asOf),
	};
}

/** Listed SKUs after the cursor, and how far the next reader has come. */
function pageOf(catalog: Catalog, caller: Caller, page: Page): { skus: Sku[]; hasMore: boolean; last: number } {
	const all = inOrder(catalog);
	const skus: Sku[] = [];
	for (let index = firstAfter(all, page.after); index < all.length; index++) {
		const sku = all[index] as Sku;
		if (environmentOf(sku.sku) !== caller.environment || !isListed(sku)) continue;
		if (page.sku !== undefined && sku.sku !== page.sku) continue;
		if (page.updatedSince !== undefined && Date.parse(sku.updatedAt) < page.updatedSince) continue;
		if (skus.length === page.limit) return { skus, hasMore: true, last: skus.at(-1)?.version ?? page.after };
		skus.push(sku);
	}
	return { skus, hasMore: false, last: skus.at(-1)?.version ?? page.after };
}

const ordered = new WeakMap<Catalog, Sku[]>();

function inOrder(catalog: Catalog): readonly Sku[] {
	let skus = ordered.get(catalog);
	if (!skus) {
		skus = [...catalog.skus.values()].sort((a, b) => a.version - b.version);
		ordered.set(catalog, skus);
	}
	return skus;
}

function firstAfter(skus: readonly Sku[], version: number): number {
	let low = 0;
	let high = skus.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((skus[middle] as Sku).version <= version) low = middle + 1;
		else high = middle;
	}
	return low;
}

function productOf(look: Look, sku: Sku, { brandCode, pools }: Draw): ProductPage["items"][number] {
	const tracks = tracksInventory(sku);
	return {
		sku: sku.sku,
		name: sku.name,
		slug: sku.slug,
		kind: sku.kind,
		brand_code: brandCode,
		tracks_inventory: tracks,
		components: sku.components.map(({ formula, perKit }) => ({
			formula_id: formula.formulaId,
			name: formula.name,
			per_kit: perKit,
		})),
		availability: tracks ? countSku(look, sku.components, pools) : NO_COUNT,
		earliest_expiry: earliestExpiry(look, sku.components, pools),
		current_coa: null,
		updated_at: sku.updatedAt,
	};
}
