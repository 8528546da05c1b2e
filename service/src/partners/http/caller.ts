import type { Environment, Scope } from "../../glossary.ts";

/** An authenticated key, as every operation sees it. Never holds a secret. */
export interface Caller {
	readonly keyId: string;
	/** The public half, `pk_hf_…`: what logs and the ledger name. */
	readonly pk: string;
	readonly partnerId: string;
	readonly environment: Environment;
	/** The brand the key is bound to, or null for an unbound key. */
	readonly brandCode: string | null;
	readonly poolId: number | null;
	/** May it draw on the shared pool? Never true in the sandbox. */
	readonly sharedPool: boolean;
	readonly scopes: ReadonlySet<Scope>;
	/** Requests in any 60 seconds. */
	readonly requestsPerMinute: number;
	/** Cap on units in active holds of this key, or null for none. */
	readonly maxHeldUnits: number | null;
}

/**
 * What a request's key, or another proof of who sends it, is worth from now on: it was good when the request came, and
 * can be asked again before anything is done for it.
 */
export interface Standing<Who = Caller> {
	readonly caller: Who;
	/**
	 * Is the key still in force, and the very secret that was presented still one of its secrets? Answered from memory,
	 * at once. "stale": no reading of the keys is recent enough to vouch for anybody.
	 */
	inForce(): boolean | "stale";
	/** The same after a reading that begins now; rejects when the keys cannot be read in time. */
	confirm(): Promise<boolean>;
}

/**
 * Why a request has no caller. "ended": the token was valid once, and its key is revoked, suspended or expired, or its
 * secret was rotated out. "unknown": it never was valid. Both are answered with the same 401; only "unknown" counts
 * as a failure of the address.
 */
export type Unauthenticated = "ended" | "unknown";

export const isUnauthenticated = (judged: Standing<unknown> | Unauthenticated): judged is Unauthenticated =>
	typeof judged === "string";

/** Authentication rejects with it: too many requests of this owner wait already. Those of others wait all the same. */
export class TooManyWait extends Error {
	override readonly name = "TooManyWait";
	constructor() {
		super("Too many requests of this key are waiting at this moment. Nothing was done: send it again.");
	}
}
