import { createBatcher } from "./batcher.ts";
import type { Refusal } from "./refusal.ts";

export interface Turns {
	/** Runs `work` when its turn comes and returns its value; or refuses, with nothing done, if too many wait. */
	take<T>(owner: string, work: () => Promise<T>): Promise<T | Refusal<"rate_limited">>;
	/** Resolves when all waiting calls are done. */
	drain(): Promise<void>;
}

/** Maximum number of waiting calls. */
const MAX_WAITING = 1_000;
/** Maximum number of waiting calls of one owner. */
const MAX_WAITING_OF_ONE = 250;

/**
 * Runs one call at a time, with fair shares for the owners: an owner that submits many calls delays only itself, and
 * at most one of these calls occupies a connection that others need.
 */
export function createTurns(): Turns {
	interface Work {
		readonly owner: string;
		readonly run: () => Promise<unknown>;
	}
	const limits = {
		maxWaiting: MAX_WAITING,
		maxWaitingOfOne: MAX_WAITING_OF_ONE,
		maxWeight: 1,
		maxShare: 1,
		inFlight: 1,
		owner: ({ owner }: Work) => owner,
	};
	const batcher = createBatcher<Work, { readonly value: unknown }>(limits, (works) =>
		Promise.all(works.map(async ({ run }) => ({ value: await run() }))),
	);
	return {
		async take<T>(owner: string, work: () => Promise<T>) {
			const done = await batcher.submit({ owner, run: work });
			return "value" in done ? (done.value as T) : done;
		},
		drain: () => batcher.drain(),
	};
}
