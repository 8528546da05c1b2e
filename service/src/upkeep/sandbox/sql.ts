import { SANDBOX_SLUG_PREFIX } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";

/**
 * Records today's restock; with `onlyIfDue`, returns false if it was done already. The row lock lets only one node do
 * it.
 */
export async function claimRestock(tx: Query, timeZone: string, onlyIfDue: boolean): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set restocked_on = (now() at time zone $1)::date
		  where not $2 or restocked_on < (now() at time zone $1)::date`,
		[timeZone, onlyIfDue],
	);
	return rowCount === 1;
}

/**
 * Whether a partner requested a restock less than $1 milliseconds ago. A time in the future does not count: it was
 * written before the clock was set back.
 */
const ASKED_LATELY = `coalesce(asked_at > now() - $1 * interval '1 millisecond' and asked_at <= now(), false)`;

/** Free units of the lot `l`, including those of lapsed holds. */
const FREE_UNITS = `
	(l.available + coalesce((select sum(p.units) from hold h join hold_part p using (reservation_token)
	                          where h.ended_at is null and h.expires_at <= statement_timestamp()
	                            and p.fg_id = l.fg_id and p.own_state is null), 0))::int`;

export interface RestockNeed {
	/** Whether the free units of some formula differ from the nominal count. */
	readonly differs: boolean;
	/** Whether a partner requested a restock so recently that the next one must wait. */
	readonly lately: boolean;
}
/** Whether a restock is needed and allowed now. `nominal` is units by formula code. Read without a lock. */
export async function readRestockNeed(
	db: Query,
	poolId: number,
	nominal: ReadonlyMap<string, number>,
	everyMs: number,
): Promise<RestockNeed> {
	const { rows } = await db.query<RestockNeed>(
		`select ${ASKED_LATELY} as lately, exists (
		   select from unnest($2::text[], $3::int[]) t(code, nominal)
		    where t.nominal <> coalesce((
		      select sum(${FREE_UNITS}) from formula f join lot l using (formula_id) where f.code = t.code and l.pool_id = $4), 0)) as differs
		   from sandbox_restock`,
		[everyMs, [...nominal.keys()], [...nominal.values()], poolId],
	);
	return rows[0] ?? { differs: false, lately: false };
}

/**
 * Records a partner's request for a restock; false if there was one recently, or if another transaction is recording
 * one.
 */
export async function claimAskedRestock(tx: Query, everyMs: number): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set asked_at = now()
		  where one = any(array(select one from sandbox_restock for update skip locked)) and not ${ASKED_LATELY}`,
		[everyMs],
	);
	return rowCount === 1;
}

/** Whether the day's restock is still due. Read without a lock. */
export async function isRestockDue(db: Query, timeZone: string): Promise<boolean> {
	const { rows } = await db.query<{ due: boolean }>(
		"select restocked_on < (now() at time zone $1)::date as due from sandbox_restock",
		[timeZone],
	);
	return rows[0]?.due ?? false;
}

export interface TestLotRow {
	formula_id: string;
	fg_id: string;
	batch_number: string;
	free: number;
}
/**
 * Locks the lots of these formulas in a pool, as the engine does, and returns their free units, including those of
 * lapsed holds.
 */
export async function lockTestLots(tx: Query, formulaIds: readonly string[], poolId: number): Promise<TestLotRow[]> {
	await tx.query("select from lot where formula_id = any($1::uuid[]) and pool_id = $2 order by fg_id for update", [
		formulaIds,
		poolId,
	]);
	const { rows } = await tx.query<TestLotRow>(
		`select l.formula_id, l.fg_id, l.batch_number, ${FREE_UNITS} as free
		   from lot l where l.formula_id = any($1::uuid[]) and l.pool_id = $2 order by l.fg_id`,
		[formulaIds, poolId],
	);
	return rows;
}

export async function countKeys(tx: Query): Promise<number> {
	const { rows } = await tx.query<{ n: number }>("select count(*) as n from api_key");
	return rows[0]?.n ?? 0;
}

/** Products of the sandbox without a certificate for this batch, in any status. */
export const selectProductsWithoutSample = async (
	db: Query,
	batchNumber: string,
): Promise<{ slug: string; name: string }[]> =>
	(
		await db.query<{ slug: string; name: string }>(
			`select p.slug, p.name from product p
			  where starts_with(p.slug, $2) and exists (select from sku s where s.slug = p.slug)
			    and not exists (select from certificate c where c.product_slug = p.slug and c.batch_number = $1)
			  order by p.slug`,
			[batchNumber, SANDBOX_SLUG_PREFIX],
		)
	).rows;
