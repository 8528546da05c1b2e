import type { Database } from "../src/ground/pg/connect.ts";
import { isConflict } from "../src/ground/pg/faults.ts";
import { snapshot, transaction } from "../src/ground/pg/transaction.ts";
import { applyWorld, type ImportReport, type ImportSettings, previewWorld } from "../src/upkeep/import/apply-world.ts";
import type { Problem, World } from "../src/upkeep/import/entries.ts";

/** Retries after a conflict with another transaction. */
const MAX_CONFLICTS = 3;

export interface ImportOptions {
	/** Report what would be done, and change nothing. */
	readonly dryRun?: boolean;
	/**
	 * Problems found while reading the input. If there are any, nothing is changed, and ImportRefused names them with
	 * all others.
	 */
	readonly unread?: readonly Problem[];
}

/**
 * Makes the database match everything in the world, all or nothing, in one transaction; anything that the world does
 * not name is left alone. A second run changes nothing. @throws ImportRefused naming every problem.
 */
export async function importWorld(
	db: Database,
	settings: ImportSettings,
	world: World,
	{ dryRun = false, unread = [] }: ImportOptions = {},
): Promise<ImportReport> {
	if (dryRun || unread.length > 0) return await snapshot(db, (tx) => previewWorld(tx, settings, world, unread));
	for (let conflicts = 1; ; conflicts++) {
		try {
			return await transaction(db, (tx) => applyWorld(tx, settings, world));
		} catch (error) {
			if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
		}
	}
}
