import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { forgetEndpoints, forgetLockedEvents, lockOldEvents } from "./sql.ts";

/** Events of one transaction. */
const AT_ONCE = 1_000;
/**
 * After each transaction, a pause of so many times what it took: whoever has millions of events to forget leaves the
 * database to partners.
 */
const PAUSE_FACTOR = 4;
/** Milliseconds after which a run leaves the rest to the next one. */
const RUN_MS = 20_000;

/**
 * Forgets what is older than the days that events are kept, and says how many events that were. Never what is still to
 * be delivered.
 */
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

/** The oldest events of one transaction: how many were found, and how many of them forgotten. */
export async function forgetEvents(
	tx: Query,
	days: number,
): Promise<{ readonly found: number; readonly count: number }> {
	const seqs = await lockOldEvents(tx, days, AT_ONCE);
	return { found: seqs.length, count: seqs.length === 0 ? 0 : await forgetLockedEvents(tx, seqs) };
}
