import { KEY_ENDED } from "../../ground/engine/batch.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConflict, PoolBusy } from "../../ground/pg/faults.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isInForce, type Standing } from "../http/caller.ts";

/** Carries out a write in a transaction of its own. */
export type Within = <T>(work: (tx: Query) => Promise<T>) => Promise<T | Refusal<"unauthorized" | "rate_limited">>;

/** Seconds after which a caller should send a write again that others were in the way of. */
const RETRY_AFTER_SECONDS = 1;
const BUSY = refuse(
	"rate_limited",
	"Other transactions were in the way. Nothing was done: send the request again.",
	RETRY_AFTER_SECONDS,
);

/**
 * Carries out a key's write in one transaction, and undoes it if the key has ended by then: a write may wait for a name
 * server, a connection or a lock, and a revocation takes effect within a second (settlements, section 3). The engine
 * judges the keys of its commands itself. `attempts`: maximum number for a write that conflicts with others.
 */
export const carryOutWrite =
	(db: Database, standing: Standing, attempts = 1): Within =>
	async (work) => {
		for (let attempt = 1; ; attempt++) {
			try {
				return await transaction(db, async (tx) => {
					const answer = await work(tx);
					if (!(await isInForce(standing))) throw new KeyEnded();
					return answer;
				});
			} catch (error) {
				if (error instanceof KeyEnded) return KEY_ENDED;
				if (error instanceof PoolBusy) return BUSY;
				if (!isConflict(error)) throw error;
				if (attempt >= attempts) return BUSY;
			}
		}
	};

/** Rolls a write back. */
class KeyEnded extends Error {
	override readonly name = "KeyEnded";
}
