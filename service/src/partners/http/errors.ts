import { ERROR_STATUS, type ErrorCode, type Scope } from "../../glossary.ts";

/** The codes that every operation with a scope can answer, beside its own, on a surface with API dates. */
export const COMMON_ERRORS = [
	"bad_request",
	"invalid_input",
	"unsupported_version",
	"unauthorized",
	"forbidden",
	"rate_limited",
	"internal_error",
] as const satisfies readonly ErrorCode[];

/** The codes an operation without a key can answer, beside its own. */
export const KEYLESS_ERRORS = [
	"bad_request",
	"invalid_input",
	"internal_error",
] as const satisfies readonly ErrorCode[];

/** The common codes a use case may answer itself; the rest of COMMON_ERRORS is the gate's alone. */
export type UseCaseError = "invalid_input" | "unauthorized" | "rate_limited" | "internal_error";

/** Where an operation's status for a code differs from ERROR_STATUS. */
export type StatusOverrides = { readonly [C in ErrorCode]?: number };

/**
 * The HTTP status that answers a code (one table for every operation, with the few exceptions an operation declares).
 */
export function statusOf(code: ErrorCode, overrides?: StatusOverrides): number {
	return overrides?.[code] ?? ERROR_STATUS[code];
}

/** What is said of a bug or an outage. `method` is the request's: only what changes something can be done twice. */
export const failedMessage = (method: string | undefined): string =>
	method === "GET" || method === "HEAD"
		? "Something failed on our side. Try again."
		: "Something failed on our side. Send the same request again, with the same references: what was done is not done twice.";

/** What a caller is told that may not do this. */
export const missingScope = ({ caller }: { readonly caller: string }, scope: Scope): string =>
	`This ${caller} does not have the scope ${scope}.`;

/** The body of every reply that is not a success (contract, section 7). */
export function errorBody(code: ErrorCode, message: string): string {
	return JSON.stringify({ error: { code, message } });
}
