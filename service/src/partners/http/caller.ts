import type { Environment, Scope } from "../../glossary.ts";

/** An authenticated key, as operations see it. Never contains a secret. */
export interface Caller {
	readonly keyId: string;
	/** The public half, `pk_hf_…`: the key's name in logs and in the ledger. */
	readonly pk: string;
	readonly partnerId: string;
	readonly environment: Environment;
	/** The brand the key is bound to, or null for an unbound key. */
	readonly brandCode: string | null;
	readonly poolId: number | null;
	/** Whether it may draw on the shared pool. Never true in the sandbox. */
	readonly sharedPool: boolean;
	readonly scopes: ReadonlySet<Scope>;
	/** Requests in any 60 seconds. */
	readonly requestsPerMinute: number;
	/** Maximum number of units in active holds of this key, or null for no limit. */
	readonly maxHeldUnits: number | null;
}

/** A caller that was valid when its request arrived, and is judged again before anything is done for it. */
export interface Standing<Who = Caller> {
	readonly caller: Who;
	/** Whether key and presented secret are still in force, judged from memory. "stale": the last read is too old. */
	inForce(): boolean | "stale";
	/** The same after a fresh read of the keys; rejects if they cannot be read in time. */
	confirm(): Promise<boolean>;
	/** Whether the caller's go-live is in an unkind hour at this moment. Absent: never. */
	isUnkind?(): boolean;
}

/** Whether a caller is still in force, by memory or a fresh read; rejects if its credentials cannot be read in time. */
export async function isInForce(standing: Standing<unknown>): Promise<boolean> {
	const inForce = standing.inForce();
	return inForce === "stale" ? await standing.confirm() : inForce;
}

/** Credentials that were never valid: none, malformed or unknown ones, or ones with a wrong secret half. */
const NEVER_VALID = ["malformed", "unknown", "wrong_secret"] as const;
/**
 * Credentials that were valid once: replaced by a rotation, or ended for one of the other reasons. `drill`: they are
 * refused for some minutes only, for a drill of a go-live.
 */
const ENDED = ["replaced", "revoked", "suspended", "expired", "drill", "ended"] as const;
export type WhyUnauthenticated = (typeof NEVER_VALID | typeof ENDED)[number];

/**
 * Why a request has no caller. All get the same 401; only credentials that were never valid count as a failure of the
 * address. `owner`: the owner of credentials that were valid once, if the surface knows it; the refusal is recorded for
 * it.
 */
export interface Unauthenticated<Who = Caller> {
	readonly why: WhyUnauthenticated;
	readonly owner?: Who;
	/** In a drill: the standing of the caller for operations that work during drills (`Operation.inDrill`). */
	readonly inDrill?: Standing<Who>;
}

export const isUnauthenticated = <Who>(judged: Standing<Who> | Unauthenticated<Who>): judged is Unauthenticated<Who> =>
	"why" in judged;

export const wereNeverValid = ({ why }: Unauthenticated<unknown>): boolean =>
	(NEVER_VALID as readonly string[]).includes(why);

/** Authentication rejects with this if too many requests of one owner already wait. Other owners continue to wait. */
export class TooManyWait extends Error {
	override readonly name = "TooManyWait";
	constructor() {
		super("Too many requests of this key are waiting at this moment. Nothing was done: send the request again.");
	}
}
