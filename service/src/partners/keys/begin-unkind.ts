import type { Query } from "../../ground/pg/connect.ts";
import { nextKeyVersion, setUnkind } from "./sql.ts";

/**
 * Begins an unkind hour of a sandbox key, for `seconds` by the database's clock: on every node within a second. It ends
 * by itself, even if no service runs. Returns its end in epoch milliseconds; null: it is not a sandbox key.
 */
export const beginUnkind = async (tx: Query, keyId: string, seconds: number): Promise<number | null> =>
	await setUnkind(tx, keyId, seconds, await nextKeyVersion(tx));

/** Ends it early. */
export const endUnkind = (tx: Query, keyId: string): Promise<unknown> => beginUnkind(tx, keyId, 0);
