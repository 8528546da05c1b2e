import type { Query } from "../../ground/pg/connect.ts";
import { nextKeyVersion, setUnkind } from "./sql.ts";

/**
 * Has the sandbox be unkind to a sandbox key from now on, for so many seconds by the database's clock: on every node
 * within a second. Nothing has to run for its end. Returns its end in epoch milliseconds; null: it is no sandbox key.
 */
export const beginUnkind = async (tx: Query, keyId: string, seconds: number): Promise<number | null> =>
	await setUnkind(tx, keyId, seconds, await nextKeyVersion(tx));

/** Has it be kind again before that time. */
export const endUnkind = async (tx: Query, keyId: string): Promise<void> => {
	await setUnkind(tx, keyId, 0, await nextKeyVersion(tx));
};
