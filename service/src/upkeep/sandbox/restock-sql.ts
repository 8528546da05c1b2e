import { SANDBOX_MODEL_POOL_ID } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { TEST_FORMULAS } from "./test-skus.ts";
import type { SandboxLot, WantedStock } from "./wanted.ts";

/**
 * Whether the partner requested a restock less than $2 milliseconds ago. A time in the future does not count: it was
 * written before the clock was set back.
 */
const ASKED_LATELY = `coalesce(asked_at > now() - $2 * interval '1 millisecond' and asked_at <= now(), false)`;

/** Ids of these formulas by code, of those that exist. */
export async function selectFormulaIds(tx: Query, codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
	const { rows } = await tx.query<{ code: string; id: string }>(
		"select code, formula_id as id from formula where code = any($1::text[])",
		[codes],
	);
	return new Map(rows.map(({ code, id }) => [code, id]));
}

/** Free units of the lot `l`, including those of lapsed holds. */
const FREE_UNITS = `
	(l.available + coalesce((select sum(p.units) from hold h join hold_part p using (reservation_token)
	                          where h.ended_at is null and h.expires_at <= statement_timestamp()
	                            and p.fg_id = l.fg_id and p.own_state is null), 0))::int`;

/**
 * The operator's lots in the model: what partners' sandboxes should have of them. Lots of test formulas ($1: their
 * codes) are left out, and so are batches with a recalled lot, whose units would be received into quarantine.
 */
const MODEL_LOTS = `
	select l.formula_id, l.batch_number, l.expires_on, l.received_on,
	       l.received + l.corrected - l.quarantined - l.destroyed as nominal
	  from lot l join formula f using (formula_id)
	 where l.pool_id = ${SANDBOX_MODEL_POOL_ID} and f.code <> all($1::text[])
	   and not exists (select from lot r
	                    where r.formula_id = l.formula_id and r.batch_number = l.batch_number and r.recalled_at is not null)`;

type ModelLot = Omit<WantedStock, "anyBatch">;
export const selectModelLots = async (tx: Query, testFormulas: readonly string[]): Promise<ModelLot[]> =>
	(
		await tx.query<ModelLot>(
			`select formula_id as "formulaId", batch_number as "batchNumber", expires_on as "expiresOn",
			        received_on as "receivedOn", nominal
			   from (${MODEL_LOTS}) model order by formula_id, batch_number`,
			[testFormulas],
		)
	).rows;

export interface RestockNeed {
	/** Whether the free units of some formula or batch differ from the nominal count. */
	readonly differs: boolean;
	/** Whether the partner requested a restock so recently that the next one must wait. */
	readonly lately: boolean;
}
/** Whether a restock is needed and allowed now. Read without a lock. */
export async function readRestockNeed(db: Query, poolId: number, everyMs: number): Promise<RestockNeed> {
	const { rows } = await db.query<RestockNeed>(
		`with wanted as (
		   select f.formula_id, null as batch_number, t.nominal
		     from unnest($1::text[], $3::int[]) t(code, nominal) left join formula f using (code)
		   union all
		   select formula_id, batch_number, nominal from (${MODEL_LOTS}) model)
		 select ${ASKED_LATELY} as lately, exists (
		   select from wanted w
		    where w.nominal <> coalesce((
		      select sum(${FREE_UNITS}) from lot l
		       where l.formula_id = w.formula_id and l.pool_id = $4
		         and (w.batch_number is null or l.batch_number = w.batch_number)), 0)) as differs
		   from sandbox_restock where pool_id = $4`,
		[Object.keys(TEST_FORMULAS), everyMs, Object.values(TEST_FORMULAS).map(({ nominal }) => nominal), poolId],
	);
	return must(rows[0], "a sandbox");
}

/**
 * Records a partner's request for a restock of its sandbox; false if there was one recently, or if another transaction
 * is recording one.
 */
export async function claimAskedRestock(tx: Query, poolId: number, everyMs: number): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set asked_at = now()
		  where pool_id = any(array(select pool_id from sandbox_restock where pool_id = $1 for update skip locked))
		    and not ${ASKED_LATELY}`,
		[poolId, everyMs],
	);
	return rowCount === 1;
}

/**
 * Locks the lots of these formulas in these sandboxes, as the engine does, and returns their free units, including
 * those of lapsed holds.
 */
export async function lockSandboxLots(
	tx: Query,
	formulaIds: readonly string[],
	poolIds: readonly number[],
): Promise<SandboxLot[]> {
	const named = "l.formula_id = any($1::uuid[]) and l.pool_id = any($2::int[])";
	await tx.query(`select from lot l where ${named} order by fg_id for update`, [formulaIds, poolIds]);
	const { rows } = await tx.query<SandboxLot>(
		`select l.formula_id as "formulaId", l.pool_id as "poolId", l.fg_id as "fgId", l.batch_number as "batchNumber",
		        ${FREE_UNITS} as free
		   from lot l where ${named} order by l.fg_id`,
		[formulaIds, poolIds],
	);
	return rows;
}
