import type { Database } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { archiveSoldOutLots } from "./change-sql.ts";

/**
 * Archives current certificates of which no lot has anything left; returns how many. What comes back later is published
 * by the operator.
 */
export const archiveSoldOut = (db: Database): Promise<number> =>
	transaction(db, async (tx) => {
		await lockEpoch(tx, "certificate_epoch");
		return archiveSoldOutLots(tx, "system:sold_out");
	});
