import { monotonicMs, sleep } from "../lib/clock.ts";
import { isConnectionLoss } from "./faults.ts";

/** Milliseconds that work waits for a lost database: longer than most crash recoveries, shorter than callers wait. */
export const PATIENCE_MS = 5_000;
/** Milliseconds that a start waits for its database: on a busy machine several connections may time out first. */
export const START_PATIENCE_MS = 15_000;
export const RECONNECT_PAUSE_MS = 100;

/** Retries read-only work while the database is away. No attempt begins later than `withinMs` from now. */
export async function patiently<T>(work: () => Promise<T>, withinMs: number = PATIENCE_MS): Promise<T> {
	const end = monotonicMs() + withinMs;
	for (;;) {
		try {
			return await work();
		} catch (error) {
			if (!isConnectionLoss(error) || monotonicMs() + RECONNECT_PAUSE_MS > end) throw error;
			await sleep(RECONNECT_PAUSE_MS);
		}
	}
}
