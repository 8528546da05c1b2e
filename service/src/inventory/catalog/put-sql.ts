import type { Query } from "../../ground/pg/connect.ts";
import type { Brand, FormulaEntry, Product, SkuEntry } from "./entries.ts";

/* Statements of catalogue changes. Each is set-based: one statement for any number of rows, which are sent as JSON. */

export interface BrandRow extends Brand {
	readonly poolId: number;
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

const BRANDS = "jsonb_to_recordset($1::jsonb) n(code text, name text)";
export const insertBrands = (tx: Query, brands: readonly Brand[]) =>
	tx.query(`insert into pool (brand_code, name) select n.code, n.name from ${BRANDS}`, [JSON.stringify(brands)]);
export const renameBrands = (tx: Query, brands: readonly Brand[]) =>
	tx.query(`update pool p set name = n.name from ${BRANDS} where p.brand_code = n.code and p.partner_id is null`, [
		JSON.stringify(brands),
	]);
export const upsertFormulas = (
	tx: Query,
	formulas: readonly (FormulaEntry & { readonly formulaId: string; readonly version: number })[],
) =>
	tx.query(
		`insert into formula (formula_id, code, name, status, version)
		 select "formulaId", code, name, status, version
		   from jsonb_to_recordset($1::jsonb) n("formulaId" uuid, code text, name text, status text, version bigint)
		 on conflict (code) do update set name = excluded.name, status = excluded.status, version = excluded.version`,
		[JSON.stringify(formulas)],
	);
export const upsertProducts = (tx: Query, products: readonly Product[]) =>
	tx.query(
		`insert into product (slug, name) select n.slug, n.name from jsonb_to_recordset($1::jsonb) n(slug text, name text)
		 on conflict (slug) do update set name = excluded.name where product.name <> excluded.name`,
		[JSON.stringify(products)],
	);
export const upsertSkus = (tx: Query, skus: readonly (SkuEntry & { readonly version: number })[]) =>
	tx.query(
		`with t as materialized (select list_time('catalog_epoch') as moment)
		 insert into sku (sku, name, slug, kind, vial_size, test_behaviour, version, updated_at)
		 select sku, name, product, kind, "vialSize", "testBehaviour", version, moment
		   from t, jsonb_to_recordset($1::jsonb)
		     n(sku text, name text, product text, kind text, "vialSize" text, "testBehaviour" text, version bigint)
		 on conflict (sku) do update set name = excluded.name, slug = excluded.slug, kind = excluded.kind,
		   vial_size = excluded.vial_size, test_behaviour = excluded.test_behaviour, version = excluded.version,
		   updated_at = excluded.updated_at`,
		[JSON.stringify(skus)],
	);
export const deleteRecipes = (tx: Query, skus: readonly string[]) =>
	tx.query("delete from sku_component where sku = any($1::text[])", [skus]);
/** Fails for a formula that does not exist, because its id is null. */
export const insertRecipes = (tx: Query, skus: readonly SkuEntry[]) =>
	tx.query(
		`insert into sku_component (sku, position, formula_id, per_kit)
		 select s.sku, c.n - 1, f.formula_id, (c.part ->> 'perKit')::int
		   from jsonb_to_recordset($1::jsonb) s(sku text, components jsonb)
		  cross join lateral jsonb_array_elements(s.components) with ordinality c(part, n)
		   left join formula f on f.code = c.part ->> 'formula'`,
		[JSON.stringify(skus)],
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
		`with t as materialized (select list_time('catalog_epoch') as moment)
		 update sku s set version = $2::bigint + n.n, updated_at = moment
		   from t,
		        (select sku, row_number() over (order by sku) as n
		           from (select distinct c.sku from sku_component c join sku using (sku)
		                  where c.formula_id = any($1::uuid[]) and sku.version <= $3) d) n
		  where s.sku = n.sku`,
		[formulaIds, after, since],
	);
