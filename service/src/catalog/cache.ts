import { must } from "../lib/assert.ts";
import type { Query } from "../pg/connect.ts";
import { type Catalog, EMPTY_CATALOG, type Pool } from "./catalog.ts";
import type { Formula, Sku } from "./sku.ts";
import { type SkuRow, selectEpoch, selectFormulasSince, selectPools, selectSkusSince } from "./sql.ts";

/** The catalogue in memory. It is trusted only after the transaction at hand has said its version is still the last. */
export interface CatalogCache {
	/** What was last read, perhaps superseded: good for guessing what to load, never for deciding. */
	guess(): Catalog;
	/** The catalogue as this transaction sees it. One statement when nothing changed. */
	read(tx: Query): Promise<Catalog>;
}

export function createCatalogCache(): CatalogCache {
	let catalog = EMPTY_CATALOG;
	return {
		guess: () => catalog,
		async read(tx) {
			const [row] = await selectEpoch(tx, []);
			const version = must(row, "catalog_epoch")[0];
			if (version === catalog.version) return catalog;
			const fresh = await loadChanges(tx, catalog, version);
			if (fresh.version > catalog.version) catalog = fresh; // another connection may have been quicker
			return fresh;
		},
	};
}

async function loadChanges(tx: Query, seen: Catalog, version: number): Promise<Catalog> {
	// SKUs first: each statement may see later commits than the one before, and a SKU must find its formulas
	const [skuRows, formulaRows, pools] = await Promise.all([
		selectSkusSince(tx, seen.version),
		selectFormulasSince(tx, seen.version),
		selectPools(tx),
	]);
	const formulas = new Map(seen.formulas);
	for (const { formula_id, code, name, status } of formulaRows.rows) {
		formulas.set(formula_id, { formulaId: formula_id, code, name, status });
	}
	const skus = new Map(seen.skus);
	// a SKU whose formula changed is itself renumbered by that change, so it is among these rows
	for (const row of skuRows.rows) skus.set(row.sku, toSku(row, formulas));
	const all: Pool[] = pools.rows.map(({ pool_id, brand_code }) => ({ poolId: pool_id, brandCode: brand_code }));
	return {
		version,
		skus,
		formulas,
		poolsById: new Map(all.map((pool) => [pool.poolId, pool])),
		poolsByBrand: new Map(all.flatMap((pool) => (pool.brandCode === null ? [] : [[pool.brandCode, pool]]))),
	};
}

function toSku(row: SkuRow, formulas: ReadonlyMap<string, Formula>): Sku {
	return {
		sku: row.sku,
		name: row.name,
		slug: row.slug,
		kind: row.kind,
		testBehaviour: row.test_behaviour,
		components: row.formula_ids.map((id, i) => ({
			formula: must(formulas.get(id), `formula ${id} of ${row.sku}`),
			perKit: must(row.per_kits[i], "per_kit"),
		})),
		updatedAt: row.updated_at.toISOString(),
		version: row.version,
	};
}
