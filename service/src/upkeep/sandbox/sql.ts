import { SANDBOX_BRAND, SANDBOX_MODEL_POOL_ID, SANDBOX_SLUG_PREFIX } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";

/** The pool of the sandbox of the partner with this name; null: there is none. */
export async function selectSandboxOf(db: Query, partner: string): Promise<number | null> {
	const { rows } = await db.query<{ id: number }>(
		"select p.pool_id as id from pool p join partner r using (partner_id) where r.name = $1",
		[partner],
	);
	return rows[0]?.id ?? null;
}

/** The sandbox of the partner with this name or id, `poolId` null if it has none; null: there is no such partner. */
export async function selectSandboxOfPartner(
	db: Query,
	named: string,
): Promise<{ partner: string; poolId: number | null } | null> {
	const { rows } = await db.query<{ partner: string; poolId: number | null }>(
		`select r.name as partner, p.pool_id as "poolId" from partner r left join pool p using (partner_id)
		  where r.name = $1 or r.partner_id::text = lower($1) order by r.name = $1 limit 1`,
		[named],
	);
	return rows[0] ?? null;
}

/** Creates the sandbox of a partner, which the caller stocks. Returns its pool. */
export async function insertSandbox(tx: Query, partnerId: string, timeZone: string): Promise<number> {
	const { rows } = await tx.query<{ id: number }>(
		`with made as (
		   insert into pool (brand_code, name, partner_id) values ('${SANDBOX_BRAND}', 'Sandbox', $1) returning pool_id),
		 noted as (
		   insert into sandbox_restock (pool_id, restocked_on) select pool_id, (now() at time zone $2)::date from made)
		 select pool_id as id from made`,
		[partnerId, timeZone],
	);
	return must(rows[0], "the new sandbox").id;
}

/** The pools of all sandboxes, that of the model first. */
export const selectSandboxes = async (db: Query): Promise<number[]> =>
	(await db.query<{ id: number }>("select pool_id as id from sandbox_restock order by 1")).rows.map(({ id }) => id);

/**
 * The sandboxes that have not been restocked today; with `onlyNew`, those of partners that have never been restocked.
 * Read without a lock.
 */
export async function selectDueSandboxes(db: Query, timeZone: string, onlyNew: boolean): Promise<number[]> {
	const { rows } = await db.query<{ id: number }>(
		`select pool_id as id from sandbox_restock
		  where case when $2 then restocked_on = '-infinity' and pool_id <> ${SANDBOX_MODEL_POOL_ID}
		             else restocked_on < (now() at time zone $1)::date end
		  order by 1`,
		[timeZone, onlyNew],
	);
	return rows.map(({ id }) => id);
}

/**
 * Records today's restock of these sandboxes; with `onlyIfDue`, returns false if it was done already. The locks of the
 * rows let only one node do it.
 */
export async function claimRestock(
	tx: Query,
	poolIds: readonly number[],
	timeZone: string,
	onlyIfDue: boolean,
): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update sandbox_restock set restocked_on = (now() at time zone $1)::date
		  where pool_id = any(array(
		    select pool_id from sandbox_restock
		     where pool_id = any($3::int[]) and (not $2 or restocked_on < (now() at time zone $1)::date)
		     order by pool_id for update))`,
		[timeZone, onlyIfDue, poolIds],
	);
	return (rowCount ?? 0) > 0;
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
