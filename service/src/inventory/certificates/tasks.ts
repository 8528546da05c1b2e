import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { lockEpoch } from "../../ground/pg/epoch.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { archiveSoldOutLots } from "./change-sql.ts";

/** Milliseconds between checks for sold-out lots. */
const MEASURE_EVERY_MS = 60_000;

export interface CoaTaskDeps {
	readonly db: Database;
	readonly config: { readonly coa: { readonly archiveSoldOut: boolean } };
}

/** Runs only where the operator enables it. On two nodes at the same time, the second finds nothing left to do. */
export const ARCHIVE_SOLD_OUT: Task<CoaTaskDeps> = {
	name: "archive_sold_out_certificates",
	everyMs: MEASURE_EVERY_MS,
	failure: "certificates of lots that are sold out could not be archived",
	run: async ({ db, config }) => (config.coa.archiveSoldOut ? await archiveSoldOut(db) : 0),
};

export const COA_TASKS: readonly Task<CoaTaskDeps>[] = [ARCHIVE_SOLD_OUT];

/** Archives certificates whose lots are sold out; returns how many. Only the operator publishes them again. */
export function archiveSoldOut(db: Database): Promise<number> {
	return transaction(db, async (tx) => {
		await lockEpoch(tx, "certificate_epoch");
		return archiveSoldOutLots(tx, "system:sold_out");
	});
}
