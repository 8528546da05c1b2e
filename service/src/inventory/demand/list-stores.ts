import type { Query } from "../../ground/pg/connect.ts";
import { type ListedStore, selectStores, selectUnknownStores } from "./stores-sql.ts";

export interface StoreList {
	readonly items: readonly ListedStore[];
	/** Stores that pending orders name but that have no brand yet. */
	readonly unknown: readonly string[];
}

/** Every known store, and the unknown ones that orders name. */
export async function listStores(db: Query): Promise<StoreList> {
	const { rows } = await selectStores(db);
	return { items: rows, unknown: await selectUnknownStores(db) };
}
