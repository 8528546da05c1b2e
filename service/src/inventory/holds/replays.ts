/** After a batch with a replay, the number of further batches for which replays are expected. */
export const EXPECTED_FOR_BATCHES = 32;

/**
 * Predicts replays of reserves. They come in bursts, when a partner repeats unanswered requests; mostly there are none.
 * While replays are expected, a hold found by its reference is read with its parts; otherwise its parts are read later.
 */
export interface Replays {
	expected(): boolean;
	/** Records whether a batch found a hold by its reference. */
	note(found: boolean): void;
}

export function createReplays(): Replays {
	let batches = 0;
	return {
		expected: () => batches > 0,
		note(found) {
			batches = found ? EXPECTED_FOR_BATCHES : Math.max(0, batches - 1);
		},
	};
}
