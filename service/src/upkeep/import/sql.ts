import type { Query } from "../../ground/pg/connect.ts";
import { IMPORT_CAUSE } from "../../inventory/stock/receive.ts";
import type { LotEntry } from "./entries.ts";
import type { ExistingLot } from "./plan.ts";

/*
 * Reads existing entries by the natural keys of an import, with one statement for any number of rows. Nothing here
 * changes a row.
 */

type ImportedLot = Pick<LotEntry, "formula" | "brandCode" | "batchNumber"> & Omit<ExistingLot, "imported">;
/** Lots by natural key; arrays of equal length. */
export const selectLots = (
	tx: Query,
	formulas: readonly string[],
	brands: readonly (string | null)[],
	batches: readonly string[],
) =>
	tx.query<ImportedLot>(
		`select f.code as formula, p.brand_code as "brandCode", l.batch_number as "batchNumber", l.fg_id as "fgId",
		        l.expires_on as "expiresOn", l.received
		   from unnest($1::text[], $2::text[], $3::text[]) e(formula, brand_code, batch_number)
		   join formula f on f.code = e.formula
		   join pool p on p.brand_code is not distinct from e.brand_code and p.partner_id is null
		   join lot l on l.formula_id = f.formula_id and l.pool_id = p.pool_id and l.batch_number = e.batch_number`,
		[formulas, brands, batches],
	);
/** Maximum number of lots whose moves are read by index; for more, reading the whole ledger is faster. */
const LOTS_BY_INDEX = 1_000;
/**
 * The actor of every import in the ledger of earlier versions; now the actor is whoever imports, and the cause is
 * `import`.
 */
const FORMER_ACTOR = "operator:import";
/** Units that imports added to each of these lots; lots without any are left out. */
export const selectImported = (tx: Query, fgIds: readonly string[]) =>
	tx.query<{ fg_id: string; units: number }>(
		`select fg_id, sum(units) as units from unit_move
		  where from_bucket = 'received' and (cause = '${IMPORT_CAUSE}' or actor = '${FORMER_ACTOR}')
		    and ${fgIds.length <= LOTS_BY_INDEX ? "fg_id = any($1::uuid[])" : "(fg_id in (select unnest($1::uuid[]))) is true"}
		  group by 1`,
		[fgIds],
	);
/** The promised demand of these formulas, by reference. */
export const selectDemand = (tx: Query, formulas: readonly string[]) =>
	tx.query<{ formula: string; brand_code: string | null; reference: string; units: number }>(
		`select f.code as formula, p.brand_code, d.reference, d.units
		   from demand d join formula f using (formula_id) join pool p using (pool_id)
		  where f.code = any($1::text[]) and p.partner_id is null`,
		[formulas],
	);
export const selectBuffers = (tx: Query, formulas: readonly string[]) =>
	tx.query<{ formula: string; brand_code: string | null; units: number }>(
		`select f.code as formula, p.brand_code, b.units
		   from safety_buffer b join formula f using (formula_id) join pool p using (pool_id)
		  where f.code = any($1::text[]) and p.partner_id is null`,
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
