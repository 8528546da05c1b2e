import type { Database } from "../src/ground/pg/connect.ts";
import { transaction } from "../src/ground/pg/transaction.ts";
import { type Restocked, restockSandboxIn, type SandboxSettings } from "../src/upkeep/sandbox/restock-sandbox.ts";
import { claimRestock, selectSandboxes } from "../src/upkeep/sandbox/sql.ts";

/** Restocks every sandbox, whether it is due or not, as an operator does. */
export const restockSandboxes = (db: Database, settings: SandboxSettings): Promise<Restocked> =>
	transaction(db, async (tx) => {
		const pools = await selectSandboxes(tx);
		await claimRestock(tx, pools, settings.timeZone, false);
		return await restockSandboxIn(tx, settings, pools);
	});
