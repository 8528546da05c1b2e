import type { Code } from "./types.ts";

/** What a repeat of an operation does. */
export type Repeat =
	/** Nothing is changed, however often it is sent. */
	| "read"
	/** The same act: the service recognises a repeat by its reference. */
	| "same"
	/** It may be done twice. */
	| "once";

/** An attempt that was answered by a refusal, or by nothing. */
export interface Attempt {
	readonly repeat: Repeat;
	readonly code: Code;
	/** 1 for the first attempt. */
	readonly number: number;
	readonly maxRetries: number;
	/** Whether the outcome of an earlier attempt of this request is unknown. */
	readonly lostBefore: boolean;
	/** What `Retry-After` asks for; null: it was not sent. */
	readonly retryAfterMs: number | null;
	/** 0 to 1: spreads waits out. */
	readonly random: number;
}

export type Verdict =
	/** Sent again after `afterMs`. */
	| { readonly kind: "again"; readonly afterMs: number }
	/** The refusal is the final answer to the request. */
	| { readonly kind: "refused" }
	/** A command that may have been done. */
	| { readonly kind: "unknown" };

/** The first wait where the service names none, in milliseconds; it doubles (guide: errors). */
const FIRST_WAIT_MS = 1_000;
/** The longest wait, in milliseconds. If the service asks for a longer one, the caller gets the refusal. */
export const MAX_WAIT_MS = 60_000;

/** Refused before anything was done; the next attempt may succeed. */
const PASSING = /^(?:rate_limited|retry|hold_race)$/;
/** It is not known whether it was done. */
const LOST = /^(?:internal_error|connection_lost)$/;
/** The key is refused: it says nothing about an earlier attempt. */
const KEY = /^(?:unauthorized|forbidden)$/;

/** Whether an attempt that ended with this code may have been carried out. */
export function isLost(code: Code): boolean {
	return LOST.test(code);
}

/** Whether the same request may be granted later, or was carried out already. */
export function isPassing(code: Code): boolean {
	return PASSING.test(code) || LOST.test(code);
}

/** What to do after an attempt that failed: by its code, never by its status. */
export function judge(attempt: Attempt): Verdict {
	const { repeat, code, number, maxRetries, lostBefore, retryAfterMs, random } = attempt;
	const mayRepeat = PASSING.test(code) || (LOST.test(code) && repeat !== "once");
	const afterMs = waitMs(number, retryAfterMs, random);
	if (mayRepeat && number <= maxRetries && afterMs <= MAX_WAIT_MS) return { kind: "again", afterMs };
	const saysNothing = PASSING.test(code) || KEY.test(code);
	const isUnknown = repeat !== "read" && (LOST.test(code) || (lostBefore && saysNothing));
	return { kind: isUnknown ? "unknown" : "refused" };
}

function waitMs(number: number, retryAfterMs: number | null, random: number): number {
	if (retryAfterMs !== null) return retryAfterMs;
	return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (number - 1)) * (1 - random / 2);
}
