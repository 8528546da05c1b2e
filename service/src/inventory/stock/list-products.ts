import type { Static } from "typebox";
import type { Cursors } from "../../ground/lib/cursor.ts";
import {
	firstAbove,
	type Page,
	type PageRows,
	readPage,
	readSince,
	takePage,
	upTo,
	writePage,
} from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Draw, drawOf, isUnknownBrand, refuseUnknownBrand } from "../catalog/brand.ts";
import { type Catalog, oncePerCatalog } from "../catalog/catalog.ts";
import { environmentOf, environmentOfSlug, isListed, type Sku, tracksInventory } from "../catalog/sku.ts";
import { PRODUCTS_PAGE_DEFAULT, type Products } from "./contract.ts";
import { countSku, earliestExpiry, NO_COUNT } from "./count.ts";
import type { StockReader, StockSnapshot } from "./reader.ts";
import { addShelvesOfSku } from "./shelves.ts";

/** The weight of a page, measured in small requests; low because pages read at the same time share most of the work. */
const PAGE_WEIGHT = 4;

export type ProductPage = Static<(typeof Products)["replies"][200]>;
type ProductsRefusal = Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code">;
interface CoaVerifyLinks {
	verifyUrl(batchNumber: string): string;
}
type Asked = Static<(typeof Products)["query"]>;

/** A page of SKUs to sell in the order of changes; a reader that follows the cursor misses none. */
export async function listProducts(
	{ reader, cursors }: { readonly reader: StockReader; readonly cursors: Cursors },
	links: CoaVerifyLinks,
	caller: Caller,
	asked: Asked,
): Promise<ProductPage | ProductsRefusal | Refusal<"rate_limited">> {
	const wanted = readWanted(cursors, caller, asked);
	if (isRefusal(wanted)) return wanted;
	const pageIn = oncePerCatalog((catalog) => pageOf(catalog, caller, wanted));
	return reader.ask({
		owner: caller.keyId,
		weight: PAGE_WEIGHT,
		after: wanted.page.after,
		addShelves: (catalog, shelves) => {
			const draw = drawOf(caller, asked.brand_code, catalog);
			if (isRefusal(draw) || isUnknownBrand(draw)) return;
			for (const sku of pageIn(catalog).rows) addShelvesOfSku(shelves, sku, draw.pools);
		},
		addSlugs: (catalog, slugs) => {
			for (const { slug } of pageIn(catalog).rows) {
				if (slug !== null && environmentOfSlug(slug) === caller.environment) slugs.add(slug);
			}
		},
		answer: (snapshot) =>
			answerProducts({ snapshot, links }, caller, asked, { page: wanted.page, listed: pageIn(snapshot.catalog) }),
	});
}

interface Wanted {
	readonly page: Page;
	readonly sku: string | undefined;
	/** Milliseconds since 1970. */
	readonly updatedSince: number | undefined;
}

function readWanted(cursors: Cursors, caller: Caller, asked: Asked): Wanted | Refusal<"invalid_input"> {
	const { updated_since, brand_code, sku, limit = PRODUCTS_PAGE_DEFAULT, cursor } = asked;
	const page = readPage(cursors, { limit, cursor }, [caller.keyId, updated_since, brand_code, sku]);
	if (isRefusal(page)) return page;
	const updatedSince = readSince("updated_since", updated_since);
	return isRefusal(updatedSince) ? updatedSince : { page, sku, updatedSince };
}

interface Seen {
	readonly snapshot: StockSnapshot;
	readonly links: CoaVerifyLinks;
}

function answerProducts(
	seen: Seen,
	caller: Caller,
	asked: Asked,
	{ page, listed }: { readonly page: Page; readonly listed: PageRows<Sku> },
): ProductPage | ProductsRefusal {
	const { snapshot } = seen;
	const draw = drawOf(caller, asked.brand_code, snapshot.catalog);
	if (isRefusal(draw)) return draw;
	if (isUnknownBrand(draw)) return refuseUnknownBrand(draw);
	const shown = upTo(page, listed, snapshot.catalogSettled, ({ version }) => version);
	return writePage(page, shown, (sku) => productOf(seen, sku, draw), snapshot.catalogAsOf);
}

const pageOf = (catalog: Catalog, caller: Caller, wanted: Wanted): PageRows<Sku> =>
	takePage(wanted.page, listedAfter(catalog, caller, wanted), (sku) => sku.version);

function* listedAfter(catalog: Catalog, caller: Caller, { page, sku: only, updatedSince }: Wanted): Generator<Sku> {
	const all = inOrder(catalog);
	for (let index = firstAbove(all, page.after, ({ version }) => version); index < all.length; index++) {
		const sku = all[index] as Sku;
		if (environmentOf(sku.sku) !== caller.environment || !isListed(sku)) continue;
		if (only !== undefined && sku.sku !== only) continue;
		if (updatedSince !== undefined && Date.parse(sku.updatedAt) < updatedSince) continue;
		yield sku;
	}
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

function productOf({ snapshot, links }: Seen, sku: Sku, { brandCode, pools }: Draw): ProductPage["items"][number] {
	const batch = sku.slug === null ? null : snapshot.currentCoa(sku.slug);
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
		availability: tracks ? countSku(snapshot, sku.components, pools) : NO_COUNT,
		earliest_expiry: earliestExpiry(snapshot, sku.components, pools),
		current_coa: batch === null ? null : { batch_number: batch, verify_url: links.verifyUrl(batch) },
		updated_at: sku.updatedAt,
	};
}
