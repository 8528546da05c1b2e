import type { Query } from "../../ground/pg/connect.ts";
import type { SafetyBuffer } from "./set-buffers.ts";
import type { Changes, Demand } from "./set-demand.ts";

/* Promised units: demand and safety buffers. Each statement takes any number of rows as JSON; 0 units remove a row. */

/** The first unknown code of each kind; null: all are known. */
export interface UnknownCodes {
	readonly unknownFormula: string | null;
	readonly unknownBrand: string | null;
}

/** The result of both statements below, which write nothing if a code is unknown. `was`: units before. */
const COUNTS = `
	select count(*) filter (where was is null and units > 0)::int as created,
	       count(*) filter (where was <> units)::int as changed,
	       count(*) filter (where was = units or (was is null and units = 0))::int as unchanged,
	       min(formula) filter (where formula_id is null) as "unknownFormula",
	       min(brand_code) filter (where pool_id is null) as "unknownBrand"
	  from asked`;
const WANTED = `select * from asked where units is distinct from was
	                and not exists (select from asked where formula_id is null or pool_id is null)`;

export const replaceDemand = (tx: Query, demand: readonly Demand[]) =>
	tx.query<Changes & UnknownCodes>(
		`with asked as materialized (
		   select e.formula, e."brandCode" as brand_code, e.reference, e.units, f.formula_id, p.pool_id, d.units as was
		     from jsonb_to_recordset($1::jsonb) e(formula text, "brandCode" text, reference text, units int)
		     left join formula f on f.code = e.formula
		     left join pool p on p.brand_code is not distinct from e."brandCode" and p.partner_id is null
		     left join demand d on d.formula_id = f.formula_id and d.pool_id = p.pool_id and d.reference = e.reference),
		 wanted as materialized (${WANTED}),
		 put as (
		   insert into demand (formula_id, pool_id, reference, units)
		   select formula_id, pool_id, reference, units from wanted where units > 0
		   on conflict (formula_id, pool_id, reference) do update set units = excluded.units),
		 gone as (
		   delete from demand d using wanted w
		    where w.units = 0 and d.formula_id = w.formula_id and d.pool_id = w.pool_id and d.reference = w.reference)
		 ${COUNTS}`,
		[JSON.stringify(demand)],
	);

export const replaceBuffers = (tx: Query, buffers: readonly SafetyBuffer[]) =>
	tx.query<Changes & UnknownCodes>(
		`with asked as materialized (
		   select e.formula, e."brandCode" as brand_code, e.units, f.formula_id, p.pool_id, b.units as was
		     from jsonb_to_recordset($1::jsonb) e(formula text, "brandCode" text, units int)
		     left join formula f on f.code = e.formula
		     left join pool p on p.brand_code is not distinct from e."brandCode" and p.partner_id is null
		     left join safety_buffer b on b.formula_id = f.formula_id and b.pool_id = p.pool_id),
		 wanted as materialized (${WANTED}),
		 put as (
		   insert into safety_buffer (formula_id, pool_id, units)
		   select formula_id, pool_id, units from wanted where units > 0
		   on conflict (formula_id, pool_id) do update set units = excluded.units),
		 gone as (
		   delete from safety_buffer b using wanted w
		    where w.units = 0 and b.formula_id = w.formula_id and b.pool_id = w.pool_id)
		 ${COUNTS}`,
		[JSON.stringify(buffers)],
	);

export const deleteDemandOf = async (db: Query, reference: string): Promise<number> =>
	(await db.query("delete from demand where reference = $1", [reference])).rowCount ?? 0;
