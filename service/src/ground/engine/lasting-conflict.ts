import { refuse } from "../lib/refusal.ts";

/** Retry-After, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** The answer to a command whose conflict outlasted every attempt. Commands may use other words. */
export const LASTING_CONFLICT = refuse(
	"retry",
	"Another hold took the same units at the same moment: send the request again.",
	RETRY_AFTER_SECONDS,
);
