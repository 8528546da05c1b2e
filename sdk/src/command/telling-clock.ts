import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../client/types.ts";

/**
 * Waits of at least this many milliseconds are reported: a person would wonder whether the program still works. The
 * wait after an error is shorter.
 */
const TOLD_MS = 3_000;

/**
 * A clock of a client that says so when the client waits: nothing but the key's budget of requests, and a 429 of the
 * service, makes it wait so long.
 */
export function tellingClock(tell: (line: string) => void): Clock {
	return {
		// a clock that nobody sets: a system clock that is set forward would empty the budget's window at once
		now: () => performance.timeOrigin + performance.now(),
		async sleep(ms) {
			if (ms >= TOLD_MS)
				tell(`Waiting ${Math.ceil(ms / 1_000)} s: the key has used all the requests that it may make for now.`);
			await sleep(ms, undefined, { ref: false }); // a client keeps the process while it has a request to send
		},
	};
}
