import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { DIGESTED_KINDS, digestNext } from "./digest-sql.ts";

/** Rows per statement. */
const AT_ONCE = 20_000;
/** After each statement, pauses for this many times its duration. */
const PAUSE_FACTOR = 4;
/** Milliseconds after which a run leaves the rest to the next one. */
const RUN_MS = 20_000;

/** Digests the rows of the ledger and of events that are old enough. Returns how many. */
export async function digestHistory(db: Query, signal: AbortSignal): Promise<number> {
	const lastUntil = monotonicMs() + RUN_MS;
	let done = 0;
	for (const kind of DIGESTED_KINDS) {
		while (!signal.aborted && monotonicMs() < lastUntil) {
			const began = monotonicMs();
			const rows = await digestNext(db, kind, AT_ONCE);
			done += rows;
			if (rows < AT_ONCE) break;
			await sleep(PAUSE_FACTOR * (monotonicMs() - began), signal);
		}
	}
	return done;
}
