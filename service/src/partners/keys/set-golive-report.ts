import type { Query } from "../../ground/pg/connect.ts";
import { nextKeyVersion, updateReport } from "./sql.ts";

/** Records the report of the go-live with which a key was minted. */
export const setGoliveReport = async (tx: Query, keyId: string, number: number): Promise<void> =>
	await updateReport(tx, keyId, number, await nextKeyVersion(tx));
