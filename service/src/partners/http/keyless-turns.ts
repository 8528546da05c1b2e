import { monotonicMs } from "../../ground/lib/clock.ts";
import { createFairQueue } from "../../ground/lib/fair-queue.ts";

/** Requests that wait at most, of all addresses and of one. */
const MAX_WAITING = 4_000;
const MAX_WAITING_OF_ONE = 1_000;
/**
 * Requests that are served in one turn of the event loop, and those of one address among them while another asks too.
 */
const TOGETHER = 8;
const SHARE = 2;

/**
 * Requests on connections on which no key was let in take turns by address, a few in each turn of the event loop:
 * between two turns everything that partners sent meanwhile is served, however many of these wait.
 */
export interface KeylessTurns {
	/** Calls `serve` when its turn has come; false, and nothing is called: too many wait already. */
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
