import { KEY_ENDED } from "../../ground/engine/batch.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isInForce, type Standing } from "../http/caller.ts";

/** Carries out a write in a transaction of its own. */
export type Within = <T>(work: (tx: Query) => Promise<T>) => Promise<T | Refusal<"unauthorized">>;

/**
 * Carries out a key's write in one transaction, and undoes it if the key has ended by then: a write may wait for a name
 * server, a connection or a lock, and a revocation takes effect within a second (settlements, section 3). The engine
 * judges the keys of its commands itself.
 */
export const carryOutWrite =
	(db: Database, standing: Standing): Within =>
	async (work) => {
		try {
			return await transaction(db, async (tx) => {
				const answer = await work(tx);
				if (!(await isInForce(standing))) throw new KeyEnded();
				return answer;
			});
		} catch (error) {
			if (error instanceof KeyEnded) return KEY_ENDED;
			throw error;
		}
	};

/** Rolls a write back. */
class KeyEnded extends Error {
	override readonly name = "KeyEnded";
}
