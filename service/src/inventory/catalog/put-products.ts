import type { CatalogChange } from "./change-catalog.ts";
import type { Product } from "./entries.ts";
import { upsertProducts } from "./put-sql.ts";

/** Creates products and renames existing ones. Products are never cached, so they take no number. */
export async function putProducts({ tx }: CatalogChange, products: readonly Product[]): Promise<void> {
	await upsertProducts(tx, products);
}
