/** Told how far long work has come. */
export interface Progress {
	/** A new stage of `total` rows begins. */
	stage(name: string, total: number): void;
	advance(rows: number): void;
	end(): void;
}

export const NO_PROGRESS: Progress = { stage: () => undefined, advance: () => undefined, end: () => undefined };
