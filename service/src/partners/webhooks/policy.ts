import type { InactiveReason } from "./endpoint.ts";

/** When a delivery is attempted and when it is abandoned. CONTRACT_POLICY is the contract's; tests supply their own. */
export interface SendingPolicy {
	/** Milliseconds before the first attempt, and then after each failed one (settlements, section 9). */
	readonly delaysMs: readonly number[];
	/** Largest share of a delay by which it varies. */
	readonly jitter: number;
	/** Milliseconds by which an attempt may start late; the longest delay is shortened by this amount. */
	readonly lateMs: number;
	/** Milliseconds of uninterrupted failure after which an endpoint is deactivated. */
	readonly giveUpAfterMs: number;
	/**
	 * Failed attempts of one event without which no endpoint is deactivated for failing: after a time without events,
	 * the first failure may be a restart of the receiver.
	 */
	readonly giveUpFailures: number;
	/** Milliseconds of uninterrupted failure after which the operator is warned. */
	readonly warnAfterMs: number;
	/** The longest Retry-After that is honoured, in milliseconds. */
	readonly mostRetryAfterMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Attempts after these delays, ± 20 %; 120 h of failures deactivate an endpoint (settlements, section 9), when an event
 * has failed for half an hour.
 */
export const CONTRACT_POLICY: SendingPolicy = {
	delaysMs: [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
	jitter: 0.2,
	lateMs: SECOND,
	giveUpAfterMs: 120 * HOUR,
	giveUpFailures: 4,
	warnAfterMs: 24 * HOUR,
	mostRetryAfterMs: 24 * HOUR,
};

export type PostOutcome =
	| {
			readonly kind: "answered";
			readonly status: number;
			/** The delay that Retry-After requests, in milliseconds; null if absent or invalid. */
			readonly retryAfterMs: number | null;
	  }
	| { readonly kind: "no_answer" };

export interface BeforePost {
	/** Failed attempts since the delivery began. */
	readonly failures: number;
	/** Milliseconds for which the endpoint has only failed; null: its last attempt succeeded. */
	readonly failingForMs: number | null;
	readonly warned: boolean;
}

/** The consequences for the delivery and its endpoint. */
export interface Verdict {
	readonly delivery:
		| { readonly to: "delivered" }
		| { readonly to: "pending"; readonly afterMs: number }
		| { readonly to: "exhausted" };
	/** Why the endpoint is deactivated, or null. */
	readonly deactivate: Extract<InactiveReason, "gone" | "failing"> | null;
	/** The operator is warned that the endpoint fails. */
	readonly warn: boolean;
}

const FIRST_SUCCESS = 200;
const LAST_SUCCESS = 299;
const GONE = 410;

export const isSuccess = (outcome: PostOutcome): boolean =>
	outcome.kind === "answered" && outcome.status >= FIRST_SUCCESS && outcome.status <= LAST_SUCCESS;

/** Judges one attempt. `draw`: a random number from 0 to below 1. Pure. */
export function judge(policy: SendingPolicy, outcome: PostOutcome, before: BeforePost, draw: number): Verdict {
	if (isSuccess(outcome)) return { delivery: { to: "delivered" }, deactivate: null, warn: false };
	const failures = before.failures + 1;
	const delayMs = policy.delaysMs[failures];
	const delivery =
		delayMs === undefined
			? ({ to: "exhausted" } as const)
			: ({ to: "pending", afterMs: Math.max(jittered(policy, delayMs, draw), askedMs(policy, outcome)) } as const);
	if (outcome.kind === "answered" && outcome.status === GONE) return { delivery, deactivate: "gone", warn: false };
	const failingForMs = before.failingForMs ?? 0;
	const isGivenUp = failingForMs >= policy.giveUpAfterMs && failures >= policy.giveUpFailures;
	if (isGivenUp) return { delivery, deactivate: "failing", warn: false };
	return { delivery, deactivate: null, warn: !before.warned && failingForMs >= policy.warnAfterMs };
}

function jittered({ jitter, lateMs }: SendingPolicy, delayMs: number, draw: number): number {
	const least = delayMs * (1 - jitter);
	const most = Math.max(least, delayMs * (1 + jitter) - lateMs);
	return Math.round(least + draw * (most - least));
}

const askedMs = ({ mostRetryAfterMs }: SendingPolicy, outcome: PostOutcome): number =>
	outcome.kind === "answered" ? Math.min(outcome.retryAfterMs ?? 0, mostRetryAfterMs) : 0;

/** `Retry-After` in milliseconds: seconds, or a date relative to the response's own `Date`. Null: neither. */
export function readRetryAfter(header: string | undefined, answeredAt: string | undefined): number | null {
	if (header === undefined) return null;
	const text = header.trim();
	if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
	const until = Date.parse(text);
	const from = Date.parse(answeredAt ?? "");
	return Number.isNaN(until) || Number.isNaN(from) ? null : Math.max(0, until - from);
}
