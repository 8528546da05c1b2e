/**
 * Bugs planted in a copy of the service to show that the lab finds them. The service itself has no trace of them: each
 * bug is a piece of its source text and the text that replaces it. When the service's code changes, the bug must
 * be updated too.
 */
export interface Edit {
	/** Relative to `service/`. */
	readonly file: string;
	/** Must occur exactly once. */
	readonly find: string;
	readonly replace: string;
}

export interface Bug {
	readonly name: string;
	/** One sentence: what goes wrong. */
	readonly says: string;
	readonly edits: readonly Edit[];
	/** Kinds of fault that expose the bug; empty: it shows without any. */
	readonly faults: readonly string[];
	/** Minutes of a run within which the bug is found. */
	readonly minutes: number;
}
