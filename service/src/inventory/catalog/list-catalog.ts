import type { Database } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import {
	type ListedBrand,
	type ListedFormula,
	type ListedSku,
	selectAllBrands,
	selectAllFormulas,
	selectAllSkus,
} from "./list-catalog-sql.ts";

export interface ListedCatalog {
	readonly brands: readonly ListedBrand[];
	readonly formulas: readonly ListedFormula[];
	readonly skus: readonly ListedSku[];
}

/** The whole catalogue for the operator, by code, in one snapshot. */
export function listCatalog(db: Database): Promise<ListedCatalog> {
	return snapshot(db, async (tx) => ({
		brands: await selectAllBrands(tx),
		formulas: await selectAllFormulas(tx),
		skus: await selectAllSkus(tx),
	}));
}
