import type { Query } from "../pg/connect.ts";
import type { RecipePart } from "./entries.ts";

/* Everything here is set-based: one statement for any number of rows, arrays through unnest. */

/**
 * For this transaction, plan by index and nested loop: it fills tables whose statistics still say that they are empty, and a
 * sequential scan once chosen would be run for every chunk.
 */
export const planByIndex = (tx: Query) =>
	tx.query(
		`select set_config(name, 'off', true) from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,jit}'::text[]) name`,
	);

/** The last number given to a catalogue change. Locks it: catalogue changes take turns. */
export async function lockCatalogEpoch(tx: Query): Promise<number> {
	const { rows } = await tx.query<{ version: number }>("select version from catalog_epoch for update");
	return rows[0]?.version ?? 0;
}
export const setCatalogEpoch = (tx: Query, version: number) =>
	tx.query("update catalog_epoch set version = $1", [version]);

export const selectBrands = (tx: Query) =>
	tx.query<{ code: string; pool_id: number; name: string }>(
		"select brand_code as code, pool_id, name from pool where brand_code is not null",
	);
export const selectFormulas = (tx: Query, codes: readonly string[]) =>
	tx.query<{ code: string; formula_id: string; name: string; status: string }>(
		"select code, formula_id, name, status from formula where code = any($1::text[])",
		[codes],
	);
export const selectProducts = (tx: Query, slugs: readonly string[]) =>
	tx.query<{ slug: string; name: string }>("select slug, name from product where slug = any($1::text[])", [slugs]);
export interface SkuRow {
	sku: string;
	name: string;
	slug: string | null;
	kind: string;
	vial_size: string | null;
	test_behaviour: string | null;
	components: RecipePart[];
}
export const selectSkus = (tx: Query, skus: readonly string[]) =>
	tx.query<SkuRow>(
		`select s.sku, s.name, s.slug, s.kind, s.vial_size, s.test_behaviour,
		        coalesce(jsonb_agg(jsonb_build_object('formula', f.code, 'perKit', c.per_kit) order by c.position)
		                 filter (where c.sku is not null), '[]') as components
		   from sku s left join sku_component c using (sku) left join formula f using (formula_id)
		  where s.sku = any($1::text[])
		  group by s.sku`,
		[skus],
	);
export interface LotRow {
	formula: string;
	brand_code: string | null;
	batch_number: string;
	fg_id: string;
	expires_on: string | null;
	received: number;
}
/** Lots by natural key; arrays of equal length. */
export const selectLots = (
	tx: Query,
	formulas: readonly string[],
	brands: readonly (string | null)[],
	batches: readonly string[],
) =>
	tx.query<LotRow>(
		`select f.code as formula, p.brand_code, l.batch_number, l.fg_id, l.expires_on, l.received
		   from unnest($1::text[], $2::text[], $3::text[]) e(formula, brand_code, batch_number)
		   join formula f on f.code = e.formula
		   join pool p on p.brand_code is not distinct from e.brand_code
		   join lot l on l.formula_id = f.formula_id and l.pool_id = p.pool_id and l.batch_number = e.batch_number`,
		[formulas, brands, batches],
	);
/** Lots that are looked up in the ledger by its index; for more of them reading all of it is quicker. */
const LOTS_BY_INDEX = 1_000;
/** Units that receipts by this actor brought to each of these lots; nothing of lots that had none. */
export const selectReceivedBy = (tx: Query, fgIds: readonly string[], actor: string) =>
	tx.query<{ fg_id: string; units: number }>(
		`select fg_id, sum(units) as units from unit_move
		  where from_bucket = 'received' and actor = $2
		    and ${fgIds.length <= LOTS_BY_INDEX ? "fg_id = any($1::uuid[])" : "(fg_id in (select unnest($1::uuid[]))) is true"}
		  group by 1`,
		[fgIds, actor],
	);
/** What these formulas are promised, by reference. */
export const selectDemand = (tx: Query, formulas: readonly string[]) =>
	tx.query<{ formula: string; brand_code: string | null; reference: string; units: number }>(
		`select f.code as formula, p.brand_code, d.reference, d.units
		   from demand d join formula f using (formula_id) join pool p using (pool_id) where f.code = any($1::text[])`,
		[formulas],
	);
export const selectBuffers = (tx: Query, formulas: readonly string[]) =>
	tx.query<{ formula: string; brand_code: string | null; units: number }>(
		`select f.code as formula, p.brand_code, b.units
		   from safety_buffer b join formula f using (formula_id) join pool p using (pool_id) where f.code = any($1::text[])`,
		[formulas],
	);
export const selectPartners = (tx: Query, names: readonly string[]) =>
	tx.query<{ name: string; partner_id: string }>("select name, partner_id from partner where name = any($1::text[])", [
		names,
	]);
export const selectKeys = (tx: Query, partners: readonly string[]) =>
	tx.query<{ partner: string; name: string; key_id: string }>(
		`select p.name as partner, k.name, k.key_id from api_key k join partner p using (partner_id)
		  where p.name = any($1::text[])`,
		[partners],
	);

export const insertBrands = (tx: Query, codes: readonly string[], names: readonly string[]) =>
	tx.query<{ code: string; pool_id: number }>(
		`insert into pool (brand_code, name) select * from unnest($1::text[], $2::text[])
		 returning brand_code as code, pool_id`,
		[codes, names],
	);
export const renameBrands = (tx: Query, codes: readonly string[], names: readonly string[]) =>
	tx.query(
		`update pool p set name = n.name from unnest($1::text[], $2::text[]) n(code, name) where p.brand_code = n.code`,
		[codes, names],
	);
export interface FormulaColumns {
	ids: string[];
	codes: string[];
	names: string[];
	statuses: string[];
	versions: number[];
}
export const putFormulas = (tx: Query, { ids, codes, names, statuses, versions }: FormulaColumns) =>
	tx.query(
		`insert into formula (formula_id, code, name, status, version)
		 select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[])
		 on conflict (code) do update set name = excluded.name, status = excluded.status, version = excluded.version`,
		[ids, codes, names, statuses, versions],
	);
export const putProducts = (tx: Query, slugs: readonly string[], names: readonly string[]) =>
	tx.query(
		`insert into product (slug, name) select * from unnest($1::text[], $2::text[])
		 on conflict (slug) do update set name = excluded.name`,
		[slugs, names],
	);
export interface SkuColumns {
	skus: string[];
	names: string[];
	slugs: (string | null)[];
	kinds: string[];
	vialSizes: (string | null)[];
	testBehaviours: (string | null)[];
	versions: number[];
}
export const putSkus = (tx: Query, columns: SkuColumns) =>
	tx.query(
		`insert into sku (sku, name, slug, kind, vial_size, test_behaviour, version, updated_at)
		 select *, now() from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
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
	skus: string[];
	positions: number[];
	formulaIds: string[];
	perKits: number[];
}
export const insertRecipes = (tx: Query, { skus, positions, formulaIds, perKits }: RecipeColumns) =>
	tx.query(
		`insert into sku_component (sku, position, formula_id, per_kit)
		 select * from unnest($1::text[], $2::smallint[], $3::uuid[], $4::int[])`,
		[skus, positions, formulaIds, perKits],
	);
/** Renumbers every SKU made of these formulas, from `after` on; SKUs already renumbered above `since` are left. */
export const renumberSkusOf = (tx: Query, formulaIds: readonly string[], after: number, since: number) =>
	tx.query(
		`update sku s set version = $2::bigint + n.n, updated_at = now()
		   from (select sku, row_number() over (order by sku) as n
		           from (select distinct c.sku from sku_component c join sku using (sku)
		                  where c.formula_id = any($1::uuid[]) and sku.version <= $3) d) n
		  where s.sku = n.sku`,
		[formulaIds, after, since],
	);

export interface UnitColumns {
	formulaIds: string[];
	poolIds: number[];
	units: number[];
}
export const putDemand = (tx: Query, { formulaIds, poolIds, units }: UnitColumns, references: readonly string[]) =>
	tx.query(
		`insert into demand (formula_id, pool_id, reference, units)
		 select f, p, r, u from unnest($1::uuid[], $2::int[], $3::text[], $4::int[]) e(f, p, r, u) where u > 0
		 on conflict (formula_id, pool_id, reference) do update set units = excluded.units`,
		[formulaIds, poolIds, references, units],
	);
export const deleteDemand = (tx: Query, { formulaIds, poolIds, units }: UnitColumns, references: readonly string[]) =>
	tx.query(
		`delete from demand d using unnest($1::uuid[], $2::int[], $3::text[], $4::int[]) e(f, p, r, u)
		  where u = 0 and d.formula_id = f and d.pool_id = p and d.reference = r`,
		[formulaIds, poolIds, references, units],
	);
export const putBuffers = (tx: Query, { formulaIds, poolIds, units }: UnitColumns) =>
	tx.query(
		`insert into safety_buffer (formula_id, pool_id, units)
		 select f, p, u from unnest($1::uuid[], $2::int[], $3::int[]) e(f, p, u) where u > 0
		 on conflict (formula_id, pool_id) do update set units = excluded.units`,
		[formulaIds, poolIds, units],
	);
export const deleteBuffers = (tx: Query, { formulaIds, poolIds, units }: UnitColumns) =>
	tx.query(
		`delete from safety_buffer b using unnest($1::uuid[], $2::int[], $3::int[]) e(f, p, u)
		  where u = 0 and b.formula_id = f and b.pool_id = p`,
		[formulaIds, poolIds, units],
	);
export const deleteDemandOf = async (db: Query, reference: string): Promise<number> =>
	(await db.query("delete from demand where reference = $1", [reference])).rowCount ?? 0;
