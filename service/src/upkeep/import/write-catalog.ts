import { SHARED_POOL_ID } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { CatalogChange } from "../../inventory/catalog/change-catalog.ts";
import { putBrands } from "../../inventory/catalog/put-brands.ts";
import { putFormulas } from "../../inventory/catalog/put-formulas.ts";
import { putProducts } from "../../inventory/catalog/put-products.ts";
import { putSkus } from "../../inventory/catalog/put-skus.ts";
import type { Placed } from "./entries.ts";
import type { Diff, Existing, Plan } from "./plan.ts";

const ROWS_PER_STATEMENT = 5_000;

/** Ids by natural key, of existing entries and of those that this import created. */
export interface Ids {
	/** Brand code -> pool, without the shared pool. */
	readonly pools: ReadonlyMap<string, number>;
	/** Code -> formula. */
	readonly formulas: ReadonlyMap<string, string>;
}

/** Called with the number of rows that were written. */
export type Advance = (rows: number) => void;

/** Writes brands, formulas, products and SKUs. Returns the ids. */
export async function writeCatalog(
	change: CatalogChange,
	plan: Plan,
	existing: Existing,
	advance: Advance,
): Promise<Ids> {
	const brands = touched(plan.brands);
	const pools = await putBrands(change, brands);
	advance(brands.length);
	const formulas = new Map([...existing.formulas].map(([code, { formulaId }]) => [code, formulaId]));
	await inChunks(touched(plan.formulas), advance, async (some) => {
		for (const [code, formulaId] of await putFormulas(change, some)) formulas.set(code, formulaId);
	});
	await inChunks(touched(plan.products), advance, (some) => putProducts(change, some));
	await inChunks(touched(plan.skus), advance, (some) => putSkus(change, some));
	return { pools, formulas };
}

/** The pool of a brand, or the shared pool for null. */
export const poolOf = (brandCode: string | null, { pools }: Ids): number =>
	brandCode === null ? SHARED_POOL_ID : must(pools.get(brandCode), brandCode);

/** The entries of a section that an import must write. */
export const touched = <T>({ created, changed }: Diff<Placed<T>>): T[] =>
	[...created, ...changed].map(({ entry }) => entry);

/** Writes entries in statements of some thousands. */
export async function inChunks<T>(
	entries: readonly T[],
	advance: Advance,
	write: (some: T[]) => Promise<unknown>,
): Promise<void> {
	for (const some of chunks(entries)) {
		await write(some);
		advance(some.length);
	}
}

/** Splits entries into arrays of at most `size`. */
export function* chunks<T>(entries: readonly T[], size = ROWS_PER_STATEMENT): Generator<T[]> {
	for (let i = 0; i < entries.length; i += size) yield entries.slice(i, i + size);
}
