import type { Query } from "../../ground/pg/connect.ts";
import { type ListedStore, selectStores, selectUnknownStores } from "./stores-sql.ts";

export interface StoreList {
	readonly items: readonly ListedStore[];
	/** Stores that orders wait for. */
	readonly unknown: readonly string[];
}

/** Every store that was said something of, and those that orders name and nobody has said anything of. */
export async function listStores(db: Query): Promise<StoreList> {
	const { rows } = await selectStores(db);
	return { items: rows, unknown: await selectUnknownStores(db) };
}
