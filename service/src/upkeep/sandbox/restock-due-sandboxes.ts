import type { Database } from "../../ground/pg/connect.ts";
import { isConflict } from "../../ground/pg/faults.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type Restocked, restockSandboxIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimRestock, selectDueSandboxes } from "./sql.ts";

/** Retries after a conflict with another transaction. */
const MAX_CONFLICTS = 3;

/**
 * Restocks the sandboxes that have not been restocked today, in the operator's time zone; with `onlyNew`, those of
 * partners that have never been restocked. Each is restocked in its own transaction, by whichever node is first; holds
 * are never touched. A sandbox that cannot be restocked does not prevent the others from being restocked; its failure
 * is thrown in the end.
 */
export async function restockDueSandboxes(
	db: Database,
	settings: SandboxSettings,
	{ onlyNew = false }: { readonly onlyNew?: boolean } = {},
): Promise<Restocked> {
	const all: Restocked[] = [];
	const failures: unknown[] = [];
	for (const poolId of await selectDueSandboxes(db, settings.timeZone, onlyNew)) {
		try {
			all.push(await restockIfDue(db, settings, poolId));
		} catch (error) {
			failures.push(error);
		}
	}
	if (failures.length > 0) throw failures[0];
	return {
		done: all.some(({ done }) => done),
		received_units: all.reduce((sum, { received_units }) => sum + received_units, 0),
		removed_units: all.reduce((sum, { removed_units }) => sum + removed_units, 0),
	};
}

async function restockIfDue(db: Database, settings: SandboxSettings, poolId: number): Promise<Restocked> {
	for (let conflicts = 1; ; conflicts++) {
		try {
			return await transaction(db, async (tx) => {
				const done = await claimRestock(tx, [poolId], settings.timeZone, true);
				return done ? await restockSandboxIn(tx, settings, [poolId]) : { done, received_units: 0, removed_units: 0 };
			});
		} catch (error) {
			if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
		}
	}
}
