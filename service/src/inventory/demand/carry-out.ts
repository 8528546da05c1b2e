import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConflict } from "../../ground/pg/faults.ts";
import { transaction } from "../../ground/pg/transaction.ts";

/** Maximum number of attempts for work that conflicts with another transaction. */
const MAX_CONFLICTS = 5;

/** Thrown to roll back the work of a refusal. */
class Refused extends Error {
	readonly refusal: Refusal;
	constructor(refusal: Refusal) {
		super(refusal.message);
		this.refusal = refusal;
	}
}

/**
 * Runs work in one transaction and retries it on a conflict. A refusal rolls back everything. Refuses `rate_limited` if
 * the conflict persists; the caller may try again later.
 */
export async function carryOut<T>(db: Database, work: (tx: Query) => Promise<T>): Promise<T | Refusal<"rate_limited">> {
	for (let conflicts = 1; ; conflicts++) {
		try {
			return await transaction(db, async (tx) => {
				const answer = await work(tx);
				if (isRefusal(answer)) throw new Refused(answer);
				return answer;
			});
		} catch (error) {
			if (error instanceof Refused) return error.refusal as T & Refusal;
			if (!isConflict(error) && !(error instanceof NeedsMoreLocks)) throw error;
			if (conflicts === MAX_CONFLICTS)
				return refuse("rate_limited", "Other work keeps these lots or this order locked: try again in a moment.");
		}
	}
}
