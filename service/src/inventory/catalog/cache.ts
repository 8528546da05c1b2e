import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { createVersionedCache, type VersionedCache } from "../../ground/pg/versioned-cache.ts";
import { type Catalog, EMPTY_CATALOG, type Pool } from "./catalog.ts";
import type { Formula, FormulaStatus, Sku, SkuKind } from "./sku.ts";
import { type CatalogRow, type SkuBody, selectCatalogSince } from "./sql.ts";

/** The catalogue in memory. Use it only after the current transaction has confirmed that its stamp is the latest. */
export type CatalogCache = VersionedCache<Catalog>;

export const createCatalogCache = (): CatalogCache => createVersionedCache(EMPTY_CATALOG, load);

/** Loads only what changed since `seen` if `seen` is in this catalogue's history; otherwise loads everything. */
async function load(tx: Query, seen: Catalog): Promise<Catalog> {
	const rows = await selectCatalogSince(tx, [seen.version, seen.stamp]);
	const { version, stamp, whole } = must(bodiesOf(rows, "epoch")[0], "catalog_epoch");
	if (stamp === seen.stamp) return seen;
	const formulas = new Map(whole ? [] : seen.formulas);
	for (const body of bodiesOf(rows, "formula")) {
		formulas.set(body.formulaId, { ...body, status: STATUSES[body.status] });
	}
	const skus = new Map(whole ? [] : seen.skus);
	// a changed formula gives its SKUs new version numbers too, so these rows include them
	for (const body of bodiesOf(rows, "sku")) skus.set(body.sku, toSku(body, formulas));
	const all: Pool[] = bodiesOf(rows, "pool");
	return {
		version,
		stamp,
		skus,
		formulas,
		poolsById: new Map(all.map((pool) => [pool.poolId, pool])),
		poolsByBrand: byBrand(all),
	};
}

const byBrand = (pools: readonly Pool[]): ReadonlyMap<string, Pool> =>
	new Map(
		pools.flatMap((pool) => (pool.brandCode === null || pool.partnerId !== null ? [] : [[pool.brandCode, pool]])),
	);

// Share one string per kind and status: each row arrives with its own copy.
const KINDS: { readonly [K in SkuKind]: K } = { single: "single", kit: "kit", non_physical: "non_physical" };
const STATUSES: { readonly [S in FormulaStatus]: S } = { draft: "draft", active: "active", archived: "archived" };

type BodyOf<K extends CatalogRow[0]> = Extract<CatalogRow, readonly [K, unknown]>[1];

function bodiesOf<K extends CatalogRow[0]>(rows: readonly CatalogRow[], kind: K): BodyOf<K>[] {
	return rows.flatMap((row) => (row[0] === kind ? [row[1] as BodyOf<K>] : []));
}

/** Built property by property for a uniform memory layout: reading thousands at random is memory-bound. */
const toSku = (body: SkuBody, formulas: ReadonlyMap<string, Formula>): Sku => ({
	sku: body.sku,
	name: body.name,
	slug: body.slug,
	kind: KINDS[body.kind],
	testBehaviour: body.testBehaviour,
	components: body.components.map(([formulaId, perKit]) => ({
		formula: must(formulas.get(formulaId), `formula ${formulaId} of ${body.sku}`),
		perKit,
	})),
	updatedAt: new Date(body.updatedAt).toISOString(),
	version: body.version,
});
