import type { Query } from "../../ground/pg/connect.ts";
import type { StorePools } from "./reconcile.ts";

/** Whose stock the orders of a store are sold from, as the operator sees it. */
export interface ListedStore {
	readonly store: string;
	/** Null: the shared stock alone. */
	readonly brandCode: string | null;
	/** Is the shared stock drawn on after the brand's? */
	readonly shared: boolean;
}

export interface StoreList {
	readonly items: readonly ListedStore[];
	/** Stores that orders wait for. */
	readonly unknown: readonly string[];
}

/** Every store that was said something of, and those that orders name and nobody has said anything of. */
export async function listStores(db: Query): Promise<StoreList> {
	const { rows } = await db.query<ListedStore>(
		`select s.store, p.brand_code as "brandCode", s.shared from demand_store s join pool p using (pool_id) order by s.store`,
	);
	return { items: rows, unknown: await selectUnknownStores(db) };
}

/** Whose numbers of advisory locks these are. */
const STORE_LOCKS = 0x53_74_6f_72;

/**
 * Locks what is said of a store until the transaction ends: in common for whoever settles an order by it, alone for
 * whoever changes it. There may be no row to lock. So a change is made either before an order looks the store up, or
 * when the order can be found as pending.
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

/** Stores that pending orders or open exceptions name and that nobody has said anything of. */
export const selectUnknownStores = async (db: Query): Promise<string[]> =>
	(
		await db.query<{ store: string }>(
			`select distinct o.store from reported_order o
			  where o.pending and o.store is not null and not exists (select from demand_store s where s.store = o.store)
			  order by 1`,
		)
	).rows.map(({ store }) => store);
