import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { addToHolds, addToLots, deleteSums, dropOldHolds, insertSeal, type Seal, type SealReach } from "./seal-sql.ts";

/** What a seal is made of: see docs/decisions/0110. */
export interface Sealing {
	/** The last seal when the run began; null: there was none. */
	readonly last: Seal | null;
	/** How far the run has read. */
	readonly reach: SealReach;
	readonly isWhole: boolean;
	/** The sums of the last seal are wrong, so they are made again from the whole ledger. */
	readonly isAnew: boolean;
}

/**
 * Leaves a seal, and adds the moves since the last one to its sums. Returns null if another run has left one meanwhile:
 * the next run starts from that.
 */
export const sealLedger = (
	db: Database,
	{ last, reach, isWhole, isAnew }: Sealing,
): Promise<{ readonly seal: number; readonly moves_upto: number; readonly digest: string } | null> =>
	transaction(db, async (tx) => {
		const seal = (last?.seal ?? 0) + 1;
		const digest = await insertSeal(tx, last, isWhole, reach);
		if (digest === null) return null;
		if (isAnew) await deleteSums(tx);
		const after = isAnew ? 0 : (last?.movesUpto ?? 0);
		await addToLots(tx, seal, after, reach.movesUpto);
		await addToHolds(tx, after, reach.movesUpto);
		await dropOldHolds(tx, reach.movesUpto);
		return { seal, moves_upto: reach.movesUpto, digest };
	});
