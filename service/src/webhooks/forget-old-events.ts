import { monotonicMs, sleep } from "../lib/clock.ts";
import type { Query } from "../pg/connect.ts";
import { forgetEndpoints, forgetEvents } from "./prune-sql.ts";

/** Events of one statement. */
const AT_ONCE = 1_000;
/** After each statement, a pause of so many times what it took: whoever has millions of events to forget leaves the database to partners. */
const PAUSE_FACTOR = 4;
/** Milliseconds after which a run leaves the rest to the next one. */
const RUN_MS = 20_000;

/** Forgets what is older than the days that events are kept, and says how many events that were. Never what is still to be delivered. */
export async function forgetOldEvents(db: Query, days: number, signal: AbortSignal): Promise<number> {
	const lastUntil = monotonicMs() + RUN_MS;
	let forgotten = 0;
	while (!signal.aborted) {
		const began = monotonicMs();
		const count = await forgetEvents(db, days, AT_ONCE);
		forgotten += count;
		const ended = monotonicMs();
		if (count < AT_ONCE || ended > lastUntil) break;
		await sleep(PAUSE_FACTOR * (ended - began), signal);
	}
	await forgetEndpoints(db);
	return forgotten;
}
