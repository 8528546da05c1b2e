import type { Query } from "../../ground/pg/connect.ts";
import { nextKeyVersion, setReport } from "./sql.ts";

/** Notes the report of the go-live with which a key was minted. */
export const noteReport = async (tx: Query, keyId: string, number: number): Promise<void> =>
	await setReport(tx, keyId, number, await nextKeyVersion(tx));
