import type { Query } from "../../ground/pg/connect.ts";
import type { FormulaEntry, Product, SkuEntry } from "./entries.ts";

/* Statements of catalogue changes. Each is set-based: one statement for any number of rows, with arrays unnested. */

export interface BrandRow {
	readonly code: string;
	readonly poolId: number;
	readonly name: string;
}
export const selectBrands = (tx: Query) =>
	tx.query<BrandRow>(
		`select brand_code as code, pool_id as "poolId", name from pool where brand_code is not null and partner_id is null`,
	);
export const selectFormulas = (tx: Query, codes: readonly string[]) =>
	tx.query<FormulaEntry & { readonly formulaId: string }>(
		'select code, formula_id as "formulaId", name, status from formula where code = any($1::text[])',
		[codes],
	);
export const selectProducts = (tx: Query, slugs: readonly string[]) =>
	tx.query<Product>("select slug, name from product where slug = any($1::text[])", [slugs]);
export const selectSkus = (tx: Query, skus: readonly string[]) =>
	tx.query<SkuEntry>(
		`select s.sku, s.name, s.slug as product, s.kind, s.vial_size as "vialSize", s.test_behaviour as "testBehaviour",
		        coalesce(jsonb_agg(jsonb_build_object('formula', f.code, 'perKit', c.per_kit) order by c.position)
		                 filter (where c.sku is not null), '[]') as components
		   from sku s left join sku_component c using (sku) left join formula f using (formula_id)
		  where s.sku = any($1::text[])
		  group by s.sku`,
		[skus],
	);

export const insertBrands = (tx: Query, codes: readonly string[], names: readonly string[]) =>
	tx.query("insert into pool (brand_code, name) select * from unnest($1::text[], $2::text[])", [codes, names]);
export const renameBrands = (tx: Query, codes: readonly string[], names: readonly string[]) =>
	tx.query(
		`update pool p set name = n.name from unnest($1::text[], $2::text[]) n(code, name) where p.brand_code = n.code and p.partner_id is null`,
		[codes, names],
	);
export interface FormulaColumns {
	readonly ids: readonly string[];
	readonly codes: readonly string[];
	readonly names: readonly string[];
	readonly statuses: readonly string[];
	readonly versions: readonly number[];
}
export const upsertFormulas = (tx: Query, { ids, codes, names, statuses, versions }: FormulaColumns) =>
	tx.query(
		`insert into formula (formula_id, code, name, status, version)
		 select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[])
		 on conflict (code) do update set name = excluded.name, status = excluded.status, version = excluded.version`,
		[ids, codes, names, statuses, versions],
	);
export const upsertProducts = (tx: Query, slugs: readonly string[], names: readonly string[]) =>
	tx.query(
		`insert into product (slug, name) select * from unnest($1::text[], $2::text[])
		 on conflict (slug) do update set name = excluded.name where product.name <> excluded.name`,
		[slugs, names],
	);
export interface SkuColumns {
	readonly skus: readonly string[];
	readonly names: readonly string[];
	readonly slugs: readonly (string | null)[];
	readonly kinds: readonly string[];
	readonly vialSizes: readonly (string | null)[];
	readonly testBehaviours: readonly (string | null)[];
	readonly versions: readonly number[];
}
export const upsertSkus = (tx: Query, columns: SkuColumns) =>
	tx.query(
		`insert into sku (sku, name, slug, kind, vial_size, test_behaviour, version, updated_at)
		 select *, list_time('catalog_epoch') from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
		 on conflict (sku) do update set name = excluded.name, slug = excluded.slug, kind = excluded.kind,
		   vial_size = excluded.vial_size, test_behaviour = excluded.test_behaviour, version = excluded.version,
		   updated_at = excluded.updated_at`,
		[
			columns.skus,
			columns.names,
			columns.slugs,
			columns.kinds,
			columns.vialSizes,
			columns.testBehaviours,
			columns.versions,
		],
	);
export const deleteRecipes = (tx: Query, skus: readonly string[]) =>
	tx.query("delete from sku_component where sku = any($1::text[])", [skus]);
export interface RecipeColumns {
	readonly skus: string[];
	readonly positions: number[];
	/** Codes. */
	readonly formulas: string[];
	readonly perKits: number[];
}
/** Fails for a formula that does not exist, because its id is null. */
export const insertRecipes = (tx: Query, { skus, positions, formulas, perKits }: RecipeColumns) =>
	tx.query(
		`insert into sku_component (sku, position, formula_id, per_kit)
		 select e.sku, e.position, f.formula_id, e.per_kit
		   from unnest($1::text[], $2::smallint[], $3::text[], $4::int[]) e(sku, position, formula, per_kit)
		   left join formula f on f.code = e.formula`,
		[skus, positions, formulas, perKits],
	);
/** Renumbers the formulas with these codes, starting after `after`; skips those already numbered above `since`. */
export const renumberFormulas = (tx: Query, codes: readonly string[], after: number, since: number) =>
	tx.query(
		`update formula f set version = $2::bigint + n.n
		   from (select formula_id, row_number() over (order by code) as n
		           from formula where code = any($1::text[]) and version <= $3) n
		  where f.formula_id = n.formula_id`,
		[codes, after, since],
	);
/** Renumbers every SKU made of these formulas, starting after `after`; skips those already numbered above `since`. */
export const renumberSkusOf = (tx: Query, formulaIds: readonly string[], after: number, since: number) =>
	tx.query(
		`update sku s set version = $2::bigint + n.n, updated_at = moment
		   from (select list_time('catalog_epoch') as moment) t,
		        (select sku, row_number() over (order by sku) as n
		           from (select distinct c.sku from sku_component c join sku using (sku)
		                  where c.formula_id = any($1::uuid[]) and sku.version <= $3) d) n
		  where s.sku = n.sku`,
		[formulaIds, after, since],
	);
