import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";
import type { RefusedEntry } from "../../ground/lib/refusal.ts";

/** Codes that every operation with a scope can answer, besides its own, on a surface with API dates. */
export const COMMON_ERRORS = [
	"bad_request",
	"invalid_input",
	"unsupported_version",
	"unauthorized",
	"forbidden",
	"rate_limited",
	"internal_error",
] as const satisfies readonly ErrorCode[];

/** Codes that an operation without a key can answer, besides its own. */
export const KEYLESS_ERRORS = [
	"bad_request",
	"invalid_input",
	"internal_error",
] as const satisfies readonly ErrorCode[];

/** The common codes that a use case may answer itself; only the gate answers the others of COMMON_ERRORS. */
export type UseCaseError = "invalid_input" | "unauthorized" | "rate_limited" | "internal_error";

/** Where an operation's status for a code differs from ERROR_STATUS. */
export type StatusOverrides = { readonly [C in ErrorCode]?: number };

/** The HTTP status of a code: one table for all operations, with the few exceptions that an operation declares. */
export function statusOf(code: ErrorCode, overrides?: StatusOverrides): number {
	return overrides?.[code] ?? ERROR_STATUS[code];
}

/** The message for a bug or an outage. `method`: only a request that changes something could be done twice. */
export const failedMessage = (method: string | undefined): string =>
	method === "GET" || method === "HEAD"
		? "Something failed on our side. Try again."
		: "Something failed on our side. Either the whole request was carried out, or nothing of it. Repeat it with the same references; if it has none, look first whether it was done.";

/** The body of every error reply (contract, section 7). `problems`: of an operation that declares them. */
export function errorBody(code: ErrorCode, message: string, problems?: readonly RefusedEntry[]): string {
	return JSON.stringify({ error: { code, message, problems } });
}
