import { SANDBOX_SLUG_PREFIX } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";

/**
 * Notes that the sandbox is restocked today; with `onlyIfDue`, false when it was already. Its lock lets one node do it.
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
 * A restock that partners asked for, less than so many milliseconds ago. A time that is ahead is that of a clock that
 * was set back.
 */
const ASKED_LATELY = `coalesce(asked_at > now() - $1 * interval '1 millisecond' and asked_at <= now(), false)`;

/** Units of the lot `l` that are free: those of lapsed holds, too. */
const FREE_UNITS = `
	(l.available + coalesce((select sum(p.units) from hold h join hold_part p using (reservation_token)
	                          where h.ended_at is null and h.expires_at <= statement_timestamp()
	                            and p.fg_id = l.fg_id and p.own_state is null), 0))::int`;

export interface RestockNeed {
	/** Free units of some formula are not what they are to be. */
	readonly differs: boolean;
	/** A partner's restock was done so lately that the next one has to wait. */
	readonly lately: boolean;
}
/** Is there anything to restock, and is it time? `nominal` is units by formula code. Read without a lock. */
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

/** Notes that a partner asked for a restock; false when one did lately, or when somebody else is at it. */
export async function claimAskedRestock(tx: Query, everyMs: number): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set asked_at = now()
		  where one = any(array(select one from sandbox_restock for update skip locked)) and not ${ASKED_LATELY}`,
		[everyMs],
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
/**
 * Locks the lots of these formulas in a pool, as the stock engine does, and tells their free units, lapsed holds
 * included.
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

/** Products of the sandbox without a certificate of this batch, whatever its status. */
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
