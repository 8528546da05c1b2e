import { CommitNotConfirmed, commit, rolledBack } from "./commit.ts";
import type { Database, Query } from "./connect.ts";
import { hasEvidenceRow, makeEvidenceRow, nextSignature, OutcomeUnknown, outcomeOf } from "./evidence.ts";
import { isConnectionLoss } from "./faults.ts";
import { named } from "./query.ts";

export const BEGIN_TEXT = "begin isolation level read committed";
const SNAPSHOT = "begin isolation level repeatable read read only";
const SCRATCH = "begin isolation level repeatable read";

/**
 * Runs `work` in one transaction and returns its value once the transaction is known to have committed; any exception
 * rolls back. If the answer to COMMIT is lost, evidence decides the outcome. @throws OutcomeUnknown if it cannot be
 * determined
 */
export const transaction = <T>(db: Database, work: (tx: Query) => Promise<T>): Promise<T> => run(db, work, BEGIN_TEXT);

/** The same for work that only reads, all of it as of one moment. */
export const snapshot = <T>(db: Database, work: (tx: Query) => Promise<T>): Promise<T> => run(db, work, SNAPSHOT);

/** The same for work that also fills temporary tables, which end with the transaction. */
export const scratch = <T>(db: Database, work: (tx: Query) => Promise<T>): Promise<T> => run(db, work, SCRATCH);

async function run<T>(
	db: Database,
	work: (tx: Query) => Promise<T>,
	begin: typeof BEGIN_TEXT | typeof SNAPSHOT | typeof SCRATCH,
): Promise<T> {
	const client = await db.take();
	let broken = true;
	let isReleased = false;
	try {
		if (begin === BEGIN_TEXT && !hasEvidenceRow(client)) await makeEvidenceRow(client);
		// awaited before the work: if BEGIN alone failed, each statement of the work would be committed by itself
		await client.query(begin);
		const tx = client as unknown as Query;
		const signature = begin === BEGIN_TEXT ? nextSignature(client) : null;
		await signature?.write(tx);
		const value = await work(tx);
		try {
			await commit(client);
			broken = false;
		} catch (error) {
			if (!isConnectionLoss(error) && !(error instanceof CommitNotConfirmed)) throw error;
			// its evidence is read on another connection, and the pool may have no room for a second one
			client.release(broken);
			isReleased = true;
			if (signature === null) throw error; // a read can be repeated
			const outcome = await outcomeOf(db, signature.evidence);
			if (outcome === "unknown")
				throw new OutcomeUnknown("it is unknown whether a COMMIT took effect", { cause: error });
			if (outcome === "rolled back") throw error;
		}
		return value;
	} catch (error) {
		// after a loss, or if its evidence row is gone, a connection is not used again
		if (!isReleased) broken = isConnectionLoss(error) || !(await rolledBack(client));
		throw error;
	} finally {
		if (!isReleased) client.release(broken);
	}
}

/** The default BEGIN, for statements that are sent together with it: if it fails, the server runs none of them. */
export const BEGIN = named("begin", BEGIN_TEXT);
