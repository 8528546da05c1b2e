import type { Json } from "./kept.ts";

/** A SKU and what one reserve of it would be granted; null: it is not physical. */
export type SkuCount = readonly [sku: string, qty: number | null];

/** A page of the list of products, as far as counts need it. */
export interface ProductPage {
	/** The cursor with which it was requested; null: the first page. */
	readonly cursor: string | null;
	readonly etag: string | null;
	/** The cursor of the next page; null: this is the last. */
	readonly next: string | null;
	readonly counts: readonly SkuCount[];
}

/** All pages of one refresh. */
export interface Products {
	readonly pages: readonly ProductPage[];
	/** By SKU. A SKU that was listed twice, because it changed meanwhile, has the count of the later page. */
	readonly counts: ReadonlyMap<string, number | null>;
}

export const NO_PRODUCTS: Products = productsOf([]);

export function productsOf(pages: readonly ProductPage[]): Products {
	return { pages, counts: new Map(pages.flatMap(({ counts }) => counts)) };
}

/**
 * The page in a reply, or what is wrong with it, in words. A page with one wrong item is wrong as a whole. `before`:
 * the pages that were read before it.
 */
export function productPageOf(
	data: unknown,
	{ cursor, etag }: Pick<ProductPage, "cursor" | "etag">,
	before: readonly ProductPage[],
): ProductPage | string {
	const { items, hasMore, nextCursor } = (data ?? {}) as Json;
	if (!Array.isArray(items)) return "items is not a list";
	const counts = items.map(skuCountOf);
	const wrong = counts.indexOf(undefined);
	if (wrong !== -1) return `item ${wrong} has no count`;
	if (typeof hasMore !== "boolean") return "hasMore is missing";
	const page = { cursor, etag, next: hasMore ? nextCursor : null, counts: counts as SkuCount[] };
	if (hasMore && typeof nextCursor !== "string") return "nextCursor is missing";
	if (hasMore && [...before, page].some(({ cursor }) => cursor === nextCursor)) return "its next page was read before";
	return page as ProductPage;
}

function skuCountOf(item: unknown): SkuCount | undefined {
	const { sku, tracksInventory, availability } = (item ?? {}) as Json;
	if (typeof sku !== "string" || sku === "") return undefined;
	if (tracksInventory === false) return [sku, null];
	const { atpQty } = (availability ?? {}) as Json;
	return tracksInventory === true && isQty(atpQty) ? [sku, atpQty] : undefined;
}

function isQty(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The pages in the text of a store; null: it has none. */
export function productsIn(json: unknown): Products | null {
	if (!Array.isArray(json)) return null;
	return json.every(isPage) ? productsOf(json) : null;
}

function isPage(value: unknown): value is ProductPage {
	const { cursor, etag, next, counts } = (value ?? {}) as Json;
	return [cursor, etag, next].every(isTextOrNull) && Array.isArray(counts) && counts.every(isSkuCount);
}

function isTextOrNull(value: unknown): boolean {
	return value === null || typeof value === "string";
}

function isSkuCount(value: unknown): boolean {
	if (!Array.isArray(value) || value.length !== 2) return false;
	const [sku, qty] = value as unknown[];
	return typeof sku === "string" && (qty === null || isQty(qty));
}
