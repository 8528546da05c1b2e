import type { JobPayload } from "./job.ts";

/** Maximum length of a stored reason, in characters. */
const MAX_WHY = 300;

/** Stored with a job: its payload and the history of its attempts. */
export interface Envelope {
	readonly data: JobPayload;
	/** Attempts made so far; `failed` counts those that failed in a row. */
	readonly attempts: number;
	readonly failed: number;
	/** Why the job runs again; null for a new job. */
	readonly why: string | null;
}

export const newEnvelope = (data: JobPayload): Envelope => ({ data, attempts: 0, failed: 0, why: null });

export const nextEnvelope = ({ data, attempts, failed }: Envelope, failure: boolean, why: string): Envelope => ({
	data,
	attempts: attempts + 1,
	failed: failure ? failed + 1 : 0,
	why: [...why].slice(0, MAX_WHY).join(""),
});
