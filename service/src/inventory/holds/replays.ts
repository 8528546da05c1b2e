/** Batches behind one with a replay in which another is expected. */
export const EXPECTED_FOR_BATCHES = 32;

/**
 * Are replays of reserves to be expected? They come in crowds, when a partner sends again what was not answered, and
 * mostly there are none. While some are expected, a hold that is found by its reference comes with its parts; else
 * those are read when one is found.
 */
export interface Replays {
	expected(): boolean;
	/** A batch is loaded: did it find a hold by its reference? */
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
