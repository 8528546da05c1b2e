import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";
import type { StorePools } from "./reconcile.ts";

export interface ListedStore {
	readonly store: string;
	/** Null: only the shared stock. */
	readonly brandCode: string | null;
	/** Whether the shared stock is drawn on after the brand's. */
	readonly shared: boolean;
}

export interface StoreFilter {
	/** A brand's code; null: every pool. */
	readonly brand: string | null;
	/** A part of the name; null: any. */
	readonly q: string | null;
	/** Only stores after this one; null: from the beginning. */
	readonly after: string | null;
}

const STORE = `select s.store, p.brand_code as "brandCode", s.shared from demand_store s join pool p using (pool_id)`;

/** At most `limit` known stores by name. */
export const listStores = (db: Query, { brand, q, after }: StoreFilter, limit: number) =>
	firstRows(limit, (most) =>
		db.query<ListedStore>(
			`${STORE} where ($1::text is null or p.brand_code = $1) and ($2::text is null or s.store ilike $2)
			    and ($3::text is null or s.store > $3)
			  order by s.store limit $4`,
			[brand, q === null ? null : contains(q), after, most],
		),
	);

export const selectStore = async (db: Query, store: string): Promise<ListedStore | null> =>
	(await db.query<ListedStore>(`${STORE} where s.store = $1`, [store])).rows[0] ?? null;

/** Class of the advisory locks of stores. */
const STORE_LOCKS = 0x53_74_6f_72;

/**
 * Locks a store's assignment until the transaction ends: shared to reconcile an order, exclusive to change the
 * assignment. So each change either is seen by an order's read of the store, or finds the order as pending. An advisory
 * lock, because the store may have no row.
 */
export const lockStore = (tx: Query, store: string, mode: "in common" | "alone") =>
	tx.query(`select pg_advisory_xact_lock${mode === "alone" ? "" : "_shared"}($1, hashtext($2))`, [STORE_LOCKS, store]);

export const selectStorePools = async (tx: Query, store: string): Promise<StorePools | null> =>
	(await tx.query<StorePools>(`select pool_id as "poolId", shared from demand_store where store = $1`, [store]))
		.rows[0] ?? null;

export const putStore = (db: Query, store: string, poolId: number, shared: boolean) =>
	db.query(
		`insert into demand_store (store, pool_id, shared) values ($1, $2, $3)
		 on conflict (store) do update set pool_id = excluded.pool_id, shared = excluded.shared`,
		[store, poolId, shared],
	);

export const deleteStore = async (db: Query, store: string): Promise<number> =>
	(await db.query("delete from demand_store where store = $1", [store])).rowCount ?? 0;

/** Stores that pending orders name but that are not assigned to a brand. */
export const selectUnknownStores = async (db: Query): Promise<string[]> =>
	(
		await db.query<{ store: string }>(
			`select distinct o.store from reported_order o
			  where o.pending and o.store is not null and not exists (select from demand_store s where s.store = o.store)
			  order by 1`,
		)
	).rows.map(({ store }) => store);
