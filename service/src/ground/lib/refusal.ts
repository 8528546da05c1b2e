import type { ErrorCode } from "../../glossary.ts";

/**
 * A rule said no. Refusals are returned, never thrown; only bugs are thrown. The gate turns them into the error
 * envelope.
 */
export interface Refusal<C extends ErrorCode = ErrorCode> {
	readonly refusal: C;
	/** For the partner's developer: what was wrong and what to do next. Nothing secret or of another partner. */
	readonly message: string;
	/** Seconds, for `Retry-After`. */
	readonly retryAfter?: number;
	/** Every problem of a large input, of which the message names only the first. */
	readonly problems?: readonly RefusedEntry[];
	/** Facts for an explanation afterwards. They are never part of a reply. */
	readonly facts?: RefusalFacts;
}

/** When a rule refused, and what was requested, where the message does not say all of that. */
export interface RefusalFacts {
	/** The instant of the decision by the database's clock, in epoch milliseconds. */
	readonly at: number;
	readonly items: readonly {
		readonly sku: string;
		/** Whole kits, or units of a SKU that is not a kit. */
		readonly qty: number;
		readonly brandCode: string | undefined;
	}[];
}

/** One problem of an input, and where it is, such as `certificates.csv line 5, tested_on`. */
export interface RefusedEntry {
	readonly at: string;
	readonly message: string;
}

export const refuse = <C extends ErrorCode>(refusal: C, message: string, retryAfter?: number): Refusal<C> =>
	retryAfter === undefined ? { refusal, message } : { refusal, message, retryAfter };

export const isRefusal = (answer: unknown): answer is Refusal =>
	typeof answer === "object" && answer !== null && "refusal" in answer;
