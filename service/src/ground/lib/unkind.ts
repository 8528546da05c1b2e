import { refuse } from "./refusal.ts";

/*
 * The unkind hour of a go-live: the sandbox answers one request in twenty of the run's key with a fault that every
 * partner must be able to handle. Which request, and which fault, follows from the request id alone, so that both can
 * be found out from the log afterwards.
 */

/** One request in this many gets a fault (operator contract, section 6). */
const ONE_IN = 20;
/** `new_field`: the real reply, with a field that its document does not name. */
const KINDS = ["retry", "rate_limited", "new_field"] as const;
export type UnkindKind = (typeof KINDS)[number];
/** Number of hexadecimal digits at the end of a request id that decide. They are random (ids.ts). */
const DIGITS = 8;

/** Seconds of the `Retry-After` of an unkind 429. */
const WAIT_SECONDS = 2;
const SAID = "The sandbox is unkind for an hour of your go-live, and nothing was done.";
export const UNKIND_RETRY = refuse("retry", `${SAID} Send the same request again in 1 s.`);
export const UNKIND_LIMIT = refuse(
	"rate_limited",
	`${SAID} Send nothing with this key for ${WAIT_SECONDS} s.`,
	WAIT_SECONDS,
);

/** The field that no document names: its name and its value. */
export const UNKIND_FIELD = "unkind_hour";
export const UNKIND_VALUE = { note: "Ignore members of a reply that you do not know." };

/** The fault with which a request of this id is answered in an unkind hour; null: none. */
export function unkindKindOf(requestId: string): UnkindKind | null {
	const drawn = Number.parseInt(requestId.slice(-DIGITS), 16);
	return drawn % ONE_IN === 0 ? (KINDS[(drawn / ONE_IN) % KINDS.length] ?? null) : null;
}

/** Whether a refusal in the log was one of an unkind hour. */
export const wasUnkind = (requestId: string, message: string | null): boolean =>
	unkindKindOf(requestId) !== null && (message === UNKIND_RETRY.message || message === UNKIND_LIMIT.message);
