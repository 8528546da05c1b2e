/** How an attempt at a job ended: done, to come again as the job itself asks, or with an error. */
export type JobOutcome = "done" | "again" | "failed";

/** Counts one attempt at a job: how it ended and how long it took, in milliseconds. */
export type CountJob = (outcome: JobOutcome, ms: number) => void;

/** The jobs of one name, as somebody looked. */
export interface JobCount {
	readonly name: string;
	/** Jobs that are not done. */
	readonly waiting: number;
	/** Those of them whose last attempt failed. */
	readonly failing: number;
	/** Seconds by which the most overdue one is late; below 0: none is due. */
	readonly lateSeconds: number;
	/** Why the one that failed last did; null: none fails. */
	readonly why: string | null;
}
