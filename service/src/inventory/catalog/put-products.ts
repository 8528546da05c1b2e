import type { CatalogChange } from "./change-catalog.ts";
import type { Product } from "./entries.ts";
import { upsertProducts } from "./put-sql.ts";

/**
 * Makes products, and renames those that have another name. Nobody keeps products in memory, so they take no number.
 */
export async function putProducts({ tx }: CatalogChange, products: readonly Product[]): Promise<void> {
	await upsertProducts(
		tx,
		products.map(({ slug }) => slug),
		products.map(({ name }) => name),
	);
}
