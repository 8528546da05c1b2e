import type { Query } from "../../ground/pg/connect.ts";
import type { FormulaEntry, Product, SkuEntry } from "./entries.ts";
import { type BrandRow, selectBrands, selectFormulas, selectProducts, selectSkus } from "./put-sql.ts";

export interface KnownEntries {
	readonly brands: ReadonlyMap<string, BrandRow>;
	readonly formulas: ReadonlyMap<string, FormulaEntry & { readonly formulaId: string }>;
	readonly products: ReadonlyMap<string, Product>;
	readonly skus: ReadonlyMap<string, SkuEntry>;
}

/** Every brand, and those of the named formulas, products and SKUs that exist. Read without a lock. */
export async function findEntries(
	db: Query,
	names: { readonly formulas: string[]; readonly products: string[]; readonly skus: string[] },
): Promise<KnownEntries> {
	const [brands, formulas, products, skus] = await Promise.all([
		selectBrands(db),
		selectFormulas(db, names.formulas),
		selectProducts(db, names.products),
		selectSkus(db, names.skus),
	]);
	return {
		brands: new Map(brands.rows.map((row) => [row.code, row])),
		formulas: new Map(formulas.rows.map((row) => [row.code, row])),
		products: new Map(products.rows.map((row) => [row.slug, row])),
		skus: new Map(skus.rows.map((row) => [row.sku, row])),
	};
}
