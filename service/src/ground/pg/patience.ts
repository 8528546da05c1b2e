import { monotonicMs, sleep } from "../lib/clock.ts";
import { isConnectionLoss } from "./faults.ts";

/**
 * Milliseconds that work waits for a database that went away: longer than most crash recoveries, short enough to be
 * answered.
 */
export const PATIENCE_MS = 5_000;
export const RECONNECT_PAUSE_MS = 100;

/**
 * Runs work that changes nothing, again and again while the database is away and patience lasts. `withinMs`:
 * milliseconds from now after which no new attempt begins.
 */
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
