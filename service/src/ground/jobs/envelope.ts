import type { JobPayload } from "./job.ts";

/** Characters of a reason that are kept with a job. */
const MAX_WHY = 300;

/** What is kept with a job: what it is told, and how it went so far. */
export interface Envelope {
	readonly data: JobPayload;
	/** Attempts made so far, and how many of them failed in a row. */
	readonly attempts: number;
	readonly failed: number;
	/** Why it comes again; null: it is new. */
	readonly why: string | null;
}

export const newEnvelope = (data: JobPayload): Envelope => ({ data, attempts: 0, failed: 0, why: null });

/** The envelope for the next attempt. */
export const nextEnvelope = ({ data, attempts, failed }: Envelope, failure: boolean, why: string): Envelope => ({
	data,
	attempts: attempts + 1,
	failed: failure ? failed + 1 : 0,
	why: [...why].slice(0, MAX_WHY).join(""),
});
