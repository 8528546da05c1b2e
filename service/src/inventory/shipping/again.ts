import type { Again } from "../../ground/jobs/job.ts";
import type { PlatformRefusal, PushOutcome } from "./label-platform.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Milliseconds until failed work is retried: the delays grow, and the work is never given up. */
export const DELAYS_MS = [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS] as const;

/** The delay after attempt `number`, counted from 1. */
const delayMs = (number: number): number => DELAYS_MS[Math.min(number, DELAYS_MS.length) - 1] ?? DELAYS_MS[0];

/** When to retry work that the platform refused or did not answer. Waiting for the request limit is not a failure. */
export function comeAgain({ message, detail: why = message, retryAfter }: PlatformRefusal, number: number): Again {
	if (retryAfter !== undefined) return { afterMs: retryAfter * SECOND_MS, why };
	return { afterMs: delayMs(number), why, failed: true };
}

/** The same for a push: not before the platform allows it, and not before the delay for this attempt has passed. */
export function pushAgain(
	{ detail, afterMs, crowded }: Extract<PushOutcome, { outcome: "later" }>,
	number: number,
): Again {
	if (crowded) return { afterMs, why: detail };
	return { afterMs: Math.max(afterMs, delayMs(number)), why: detail, failed: true };
}
