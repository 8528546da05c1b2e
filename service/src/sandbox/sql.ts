import type { Query } from "../pg/connect.ts";

/** Notes that the sandbox is restocked today; with `onlyIfDue`, false when it was already. Its lock lets one node do it. */
export async function claimRestock(tx: Query, timeZone: string, onlyIfDue: boolean): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set restocked_on = (now() at time zone $1)::date
		  where not $2 or restocked_on < (now() at time zone $1)::date`,
		[timeZone, onlyIfDue],
	);
	return rowCount === 1;
}

/** A restock that partners asked for, less than so many seconds ago. A time that is ahead is that of a clock that was set back. */
const ASKED_LATELY = `coalesce(asked_at > now() - $1 * interval '1 second' and asked_at <= now(), false)`;

/** Seconds until partners may ask for a restock again; 0: now. Read without a lock. */
export async function secondsToNextRestock(db: Query, everySeconds: number): Promise<number> {
	const { rows } = await db.query<{ wait: number }>(
		`select case when ${ASKED_LATELY} then ceil($1 - extract(epoch from now() - asked_at))::int else 0 end as wait
		   from sandbox_restock`,
		[everySeconds],
	);
	return rows[0]?.wait ?? 0;
}

/** Notes that a partner asked for a restock; false when one did lately, or when somebody else is at it. */
export async function claimAskedRestock(tx: Query, everySeconds: number): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set asked_at = now()
		  where one = any(array(select one from sandbox_restock for update skip locked)) and not ${ASKED_LATELY}`,
		[everySeconds],
	);
	return rowCount === 1;
}

/** Is the day's restock still to be done? Read without a lock. */
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
/** Locks the lots of these formulas in a pool, as the stock engine does, and tells their free units, lapsed holds included. */
export async function lockTestLots(tx: Query, formulaIds: readonly string[], poolId: number): Promise<TestLotRow[]> {
	await tx.query("select from lot where formula_id = any($1::uuid[]) and pool_id = $2 order by fg_id for update", [
		formulaIds,
		poolId,
	]);
	const { rows } = await tx.query<TestLotRow>(
		`select l.formula_id, l.fg_id, l.batch_number,
		        (l.available + coalesce((select sum(p.units) from hold h join hold_part p using (reservation_token)
		                                  where h.status = 'active' and h.expires_at <= statement_timestamp()
		                                    and p.fg_id = l.fg_id and p.own_state is null), 0))::int as free
		   from lot l where l.formula_id = any($1::uuid[]) and l.pool_id = $2 order by l.fg_id`,
		[formulaIds, poolId],
	);
	return rows;
}

export async function countKeys(tx: Query): Promise<number> {
	const { rows } = await tx.query<{ n: number }>("select count(*) as n from api_key");
	return rows[0]?.n ?? 0;
}
