import type { Query } from "../../ground/pg/connect.ts";
import { nextKeyVersion, setDrill } from "./sql.ts";

/**
 * Refuses a sandbox key from now on, for `seconds` by the database's clock, as if it were revoked: on every node within
 * a second. The drill ends by itself, even if no service runs. Returns its end in epoch milliseconds; null: it is not a
 * sandbox key.
 */
export const beginDrill = async (tx: Query, keyId: string, seconds: number): Promise<number | null> =>
	await setDrill(tx, keyId, seconds, await nextKeyVersion(tx));

/** Ends a drill before its time. */
export const endDrill = (tx: Query, keyId: string): Promise<unknown> => beginDrill(tx, keyId, 0);
