import type { Query } from "../../ground/pg/connect.ts";
import { nextKeyVersion } from "./sql.ts";

/** Until the transaction ends, no other one mints or changes a key, or renames a partner. */
export const takeKeyLock = async (tx: Query): Promise<void> => {
	await nextKeyVersion(tx);
};
