import type { ErrorCode } from "../../glossary.ts";

/** A rule said no. A value, never thrown; bugs are thrown. The gate turns it into the error envelope. */
export interface Refusal<C extends ErrorCode = ErrorCode> {
	readonly refusal: C;
	/** For the partner's developer: what was wrong and what to do next. Nothing secret or of another partner. */
	readonly message: string;
	/** Seconds, for `Retry-After`. */
	readonly retryAfter?: number;
}

export const refuse = <C extends ErrorCode>(refusal: C, message: string, retryAfter?: number): Refusal<C> =>
	retryAfter === undefined ? { refusal, message } : { refusal, message, retryAfter };

export const isRefusal = (answer: unknown): answer is Refusal =>
	typeof answer === "object" && answer !== null && "refusal" in answer;
