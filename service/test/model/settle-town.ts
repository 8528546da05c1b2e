import type { Query } from "../../src/ground/pg/connect.ts";
import type { Town } from "./town.ts";
import { POOLS } from "./town.ts";

/**
 * Writes towns into a real database: brands, formulas and SKUs. Stock is received through the engine; keys are not
 * needed.
 */
export async function settleTowns(db: Query, towns: readonly Town[]): Promise<void> {
	const skus = towns.flatMap((town) => town.skus);
	const formulas = towns.flatMap((town) => town.formulas);
	const parts = skus.flatMap(({ sku, components }) =>
		components.map(({ formula, perKit }, position) => ({ sku, position, id: formula.formulaId, perKit })),
	);
	const brands = Object.entries(POOLS).filter(([brand]) => brand !== "shared");
	await db.query(
		`with epoch as (update catalog_epoch set version = version + $1 returning version),
		 brand as (
		   insert into pool (pool_id, brand_code, name) select id, code, code from unnest($2::int[], $3::text[]) b(id, code)
		   on conflict do nothing),
		 f as (
		   insert into formula (formula_id, code, name, status, version)
		   select f.*, e.version from epoch e, unnest($4::uuid[], $5::text[], $6::text[], $7::text[]) f),
		 s as (
		   insert into sku (sku, name, kind, updated_at, version)
		   select s.sku, s.sku, s.kind, now(), e.version - $1 + s.n
		     from epoch e, unnest($8::text[], $9::text[]) with ordinality s(sku, kind, n))
		 insert into sku_component (sku, position, formula_id, per_kit)
		 select * from unnest($10::text[], $11::int[], $12::uuid[], $13::int[])`,
		[
			skus.length,
			brands.map(([, id]) => id),
			brands.map(([code]) => code),
			...(["formulaId", "code", "name", "status"] as const).map((name) => formulas.map((formula) => formula[name])),
			skus.map(({ sku }) => sku),
			skus.map(({ kind }) => kind),
			...(["sku", "position", "id", "perKit"] as const).map((name) => parts.map((part) => part[name])),
		],
	);
}
