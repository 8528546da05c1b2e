import { type Refusal, refuse } from "../lib/refusal.ts";
import type { Database } from "../pg/connect.ts";
import { isConflict } from "../pg/faults.ts";
import { transaction } from "../pg/transaction.ts";
import { type Restocked, restockIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimAskedRestock, secondsToNextRestock } from "./sql.ts";

/** Seconds between two restocks that partners ask for, whoever of them asks: each locks all test lots for some milliseconds. */
export const ASKED_EVERY_SECONDS = 5;
/** Seconds after which to ask again when a restock is under way or somebody has the lots. */
const UNDER_WAY_SECONDS = 1;

/**
 * Restocks the sandbox because a partner asked. All sandbox keys share its stock, so it is one restock for all of them; units that
 * holds and orders have stay theirs. @see restockSandbox
 */
export async function restockOnRequest(
	db: Database,
	settings: SandboxSettings,
): Promise<Restocked | Refusal<"rate_limited">> {
	const wait = await secondsToNextRestock(db, ASKED_EVERY_SECONDS);
	if (wait > 0) {
		return refuse(
			"rate_limited",
			`The sandbox was restocked less than ${ASKED_EVERY_SECONDS} seconds ago, and all sandbox keys share its stock: ask again after that.`,
			wait,
		);
	}
	const underWay = refuse("rate_limited", "Another restock of the sandbox is under way: ask again.", UNDER_WAY_SECONDS);
	try {
		return await transaction(db, async (tx) =>
			(await claimAskedRestock(tx, ASKED_EVERY_SECONDS)) ? await restockIn(tx, settings) : underWay,
		);
	} catch (error) {
		if (isConflict(error)) return underWay;
		throw error;
	}
}
