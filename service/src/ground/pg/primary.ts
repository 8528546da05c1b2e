import { monotonicMs } from "../lib/clock.ts";

/**
 * Milliseconds for which looks must have found no server that accepts writes before requests are refused at once: most
 * restarts are over by then.
 */
export const MISSING_AFTER_MS = 3_000;
/** Number of consecutive looks that must have failed: a single slow one may be due to this process alone. */
export const MISSING_LOOKS = 3;

/**
 * What this process knows about the primary, the server that accepts writes. The reads of the keys, four times a
 * second, are its looks. Until they have failed for MISSING_AFTER_MS, requests wait; then they are refused at once,
 * until one look finds a primary again.
 */
export interface Primary {
	/** Whether it is known that there is none. */
	isMissing(): boolean;
	/**
	 * Records a look that began at `beganAt` (monotonic ms) and has ended. `found`: it did not show that there is no
	 * primary.
	 */
	noteLook(beganAt: number, found: boolean): void;
	/** Something was committed. */
	noteCommit(): void;
}

export interface PrimaryOptions {
	/** Monotonic milliseconds. */
	readonly now?: () => number;
	/** Called when a primary is missing, and when there is one again. */
	readonly onChange?: (isMissing: boolean) => void;
}

export function createPrimary({ now = monotonicMs, onChange }: PrimaryOptions = {}): Primary {
	/** When the first of the failed looks began; null: the last one found a primary. */
	let failingSince: number | null = null;
	let failed = 0;
	let missing = false;
	const set = (next: boolean): void => {
		if (next === missing) return;
		missing = next;
		onChange?.(next);
	};
	const found = (): void => {
		failingSince = null;
		failed = 0;
		set(false);
	};
	return {
		isMissing: () => missing,
		noteLook(beganAt, isFound) {
			if (isFound) return found();
			failingSince ??= beganAt;
			failed++;
			if (failed >= MISSING_LOOKS && now() - failingSince >= MISSING_AFTER_MS) set(true);
		},
		noteCommit() {
			if (failed > 0) found();
		},
	};
}
