/**
 * Bugs that are planted on purpose, in a copy of the service, to show that the lab would find them. Nothing in the
 * service knows of them: each is a place in its text and what stands there instead. When the service's code moves, the
 * place must follow.
 */
export interface Edit {
	/** From `service/`. */
	readonly file: string;
	/** Must be there exactly once. */
	readonly find: string;
	readonly replace: string;
}

export interface Bug {
	readonly name: string;
	/** One sentence: what goes wrong. */
	readonly says: string;
	readonly edits: readonly Edit[];
	/** Kinds of fault that bring it out; empty: it shows without any. */
	readonly faults: readonly string[];
	/** Minutes within which it is found. */
	readonly minutes: number;
}
