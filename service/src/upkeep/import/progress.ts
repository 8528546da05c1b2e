/** Receives the progress of long work. */
export interface Progress {
	/** Called when a new stage of `total` rows begins. */
	readonly stage: (name: string, total: number) => void;
	readonly advance: (rows: number) => void;
	readonly end: () => void;
}

export const NO_PROGRESS: Progress = { stage: () => undefined, advance: () => undefined, end: () => undefined };
