import { SANDBOX_POOL_ID } from "../../glossary.ts";
import { wait } from "../../ground/lib/clock.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConflict } from "../../ground/pg/faults.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type Restocked, restockIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimAskedRestock, readRestockNeed } from "./sql.ts";
import { TEST_FORMULAS } from "./test-skus.ts";

/**
 * Minimum milliseconds between two restocks at the request of any partners: each restock locks all test lots and leaves
 * moves in the ledger.
 */
export const ASKED_EVERY_MS = 1_000;
/** Milliseconds between two checks whether a restock is possible. */
const LOOK_AGAIN_MS = 200;
/** Checks after which a request that never had its turn is refused. */
const MOST_LOOKS = 20;

const NOMINAL: ReadonlyMap<string, number> = new Map(
	Object.entries(TEST_FORMULAS).map(([code, { nominal }]) => [code, nominal]),
);
const NOT_NOW = refuse(
	"rate_limited",
	"Another restock is in progress, or the lots of the sandbox are locked: try again.",
	1,
);

export interface RestockDeps {
	/** For the restock, which has a transaction of its own. */
	readonly db: Database;
	/** For short reads by index. */
	readonly readDb: Query;
	readonly sandbox: SandboxSettings;
}

/**
 * Restocks the sandbox at a partner's request. All sandbox keys share its stock, so one restock serves all of them:
 * concurrent requests wait for their turn, and do nothing if another's restock was enough. Units of holds and orders
 * are not touched.
 */
export async function restockOnRequest({
	db,
	readDb,
	sandbox,
}: RestockDeps): Promise<Restocked | Refusal<"rate_limited">> {
	for (let looks = 0; looks < MOST_LOOKS; looks++) {
		if (looks > 0) await wait(LOOK_AGAIN_MS);
		const { differs, lately } = await readRestockNeed(readDb, SANDBOX_POOL_ID, NOMINAL, ASKED_EVERY_MS);
		if (!differs) return { done: false, received_units: 0, removed_units: 0 };
		if (lately) continue;
		try {
			const restocked = await transaction(db, async (tx) =>
				(await claimAskedRestock(tx, ASKED_EVERY_MS)) ? await restockIn(tx, sandbox) : null,
			);
			if (restocked) return restocked;
		} catch (error) {
			if (isConflict(error)) return NOT_NOW; // it has already waited for the locks of the lots
			throw error;
		}
	}
	return NOT_NOW;
}
