import { wait } from "../../ground/lib/clock.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConflict } from "../../ground/pg/faults.ts";
import type { Standing } from "../../partners/http/caller.ts";
import { carryOutWrite } from "../../partners/keys/carry-out-write.ts";
import { type Restocked, restockSandboxIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimAskedRestock, readRestockNeed } from "./restock-sql.ts";

/**
 * Minimum milliseconds between two restocks at the request of one partner: each locks the lots of its sandbox and
 * leaves moves in the ledger.
 */
export const ASKED_EVERY_MS = 1_000;
/** Milliseconds between two checks whether a restock is possible. */
const LOOK_AGAIN_MS = 200;
/** Number of checks after which a request that has not had its turn is refused. */
const MOST_LOOKS = 20;

const NOT_NOW = refuse(
	"rate_limited",
	"Another restock of your sandbox is in progress, or its lots are locked: try again.",
	1,
);

export interface RestockDeps {
	/** For the restock, which has its own transaction. */
	readonly db: Database;
	/** For short reads by index. */
	readonly readDb: Query;
	readonly sandbox: SandboxSettings;
}

/**
 * Restocks a partner's sandbox at its request. All sandbox keys of the partner share its stock, so one restock serves
 * all of them: concurrent requests wait for their turn, and do nothing if another's restock was enough. Units of holds
 * and orders are not touched.
 */
export async function restockOnRequest(
	{ db, readDb, sandbox }: RestockDeps,
	poolId: number,
	standing: Standing,
): Promise<Restocked | Refusal<"rate_limited" | "unauthorized">> {
	const within = carryOutWrite(db, standing);
	for (let looks = 0; looks < MOST_LOOKS; looks++) {
		if (looks > 0) await wait(LOOK_AGAIN_MS);
		const { differs, lately } = await readRestockNeed(readDb, poolId, ASKED_EVERY_MS);
		if (!differs) return { done: false, received_units: 0, removed_units: 0 };
		if (lately) continue;
		try {
			const restocked = await within(async (tx) =>
				(await claimAskedRestock(tx, poolId, ASKED_EVERY_MS)) ? await restockSandboxIn(tx, sandbox, [poolId]) : null,
			);
			if (restocked) return restocked;
		} catch (error) {
			if (isConflict(error)) return NOT_NOW; // it has already waited for the locks of the lots
			throw error;
		}
	}
	return NOT_NOW;
}
