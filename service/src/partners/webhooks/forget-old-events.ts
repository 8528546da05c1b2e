import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { forgetEndpoints, forgetLockedEvents, lockOldEvents } from "./sql.ts";

/** Maximum number of events per transaction. */
const AT_ONCE = 1_000;
/** Pause after each transaction, as a multiple of its duration, to leave the database to partners. */
const PAUSE_FACTOR = 4;
/** Milliseconds after which a run leaves the rest to the next one. */
const RUN_MS = 20_000;

/** Deletes events older than `days`, except those still to be delivered, and returns their number. */
export async function forgetOldEvents(db: Database, days: number, signal: AbortSignal): Promise<number> {
	const lastUntil = monotonicMs() + RUN_MS;
	let forgotten = 0;
	while (!signal.aborted) {
		const began = monotonicMs();
		const { found, count } = await transaction(db, (tx) => forgetEvents(tx, days));
		forgotten += count;
		const ended = monotonicMs();
		if (found < AT_ONCE || ended > lastUntil) break;
		await sleep(PAUSE_FACTOR * (ended - began), signal);
	}
	await forgetEndpoints(db);
	return forgotten;
}

/** One transaction's share, oldest first: the number of events found, and of those deleted. */
export async function forgetEvents(
	tx: Query,
	days: number,
): Promise<{ readonly found: number; readonly count: number }> {
	const seqs = await lockOldEvents(tx, days, AT_ONCE);
	return { found: seqs.length, count: seqs.length === 0 ? 0 : await forgetLockedEvents(tx, seqs) };
}
