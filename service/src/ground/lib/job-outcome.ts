/** How an attempt at a job ended: done, to be run again at its own request, or with an error. */
export type JobOutcome = "done" | "again" | "failed";

/** Counts one attempt at a job: its outcome and duration in milliseconds. */
export type CountJob = (outcome: JobOutcome, ms: number) => void;

/** The jobs of one name at one moment. */
export interface JobCount {
	readonly name: string;
	/** Unfinished jobs. */
	readonly waiting: number;
	/** Waiting jobs whose last attempt failed. */
	readonly failing: number;
	/** Seconds by which the most overdue job is late; below 0: none is due. */
	readonly lateSeconds: number;
	/** The reason for the most recent failure; null if none is failing. */
	readonly why: string | null;
}
