import { monotonicMs } from "../../ground/lib/clock.ts";
import { createFairQueue } from "../../ground/lib/fair-queue.ts";

/** Maximum number of waiting requests, of all addresses and of one. */
const MAX_WAITING = 4_000;
const MAX_WAITING_OF_ONE = 1_000;
/** Requests served in one turn of the event loop, and the maximum of one address while another is waiting. */
const TOGETHER = 8;
const SHARE = 2;

/**
 * Requests on connections on which no key has been accepted take turns by address, a few in each turn of the event
 * loop. Between two turns, everything that partners sent meanwhile is served, however many of these wait.
 */
export interface KeylessTurns {
	/** Calls `serve` when its turn comes; returns false, without calling it, if too many wait. */
	take(address: string, serve: () => void): boolean;
}

export function createKeylessTurns(): KeylessTurns {
	const queue = createFairQueue<() => void>();
	let scheduled = false;
	const schedule = (): void => {
		if (scheduled || queue.size === 0) return;
		scheduled = true;
		setImmediate(serveSome);
	};
	const serveSome = (): void => {
		scheduled = false;
		for (const serve of queue.take(TOGETHER, SHARE, monotonicMs())) serve();
		schedule();
	};
	return {
		take(address, serve) {
			if (queue.size >= MAX_WAITING || queue.waitingOf(address) >= MAX_WAITING_OF_ONE) return false;
			queue.push(address, 1, serve, monotonicMs());
			schedule();
			return true;
		},
	};
}
