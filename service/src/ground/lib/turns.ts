import { createBatcher } from "./batcher.ts";
import type { Refusal } from "./refusal.ts";

/** Work that takes turns. */
export interface Turns {
	/**
	 * Does the work when its turn has come, and answers with its value; or refuses, with nothing done, when too much
	 * waits.
	 */
	take<T>(owner: string, work: () => Promise<T>): Promise<T | Refusal<"rate_limited">>;
	/** Resolves when everything that waits is done. */
	drain(): Promise<void>;
}

/** Works that wait at most. */
const MAX_WAITING = 1_000;
/** Works of one owner that wait at most. */
const MAX_WAITING_OF_ONE = 250;

/**
 * One work at a time, by fair shares over the owners: whoever asks for much at once waits for himself, and a connection
 * that others need is never taken by more than one of these.
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
