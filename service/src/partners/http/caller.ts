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
	/** Are key and presented secret still in force, judged from memory? "stale": the last read is too old. */
	inForce(): boolean | "stale";
	/** The same after a fresh read of the keys; rejects if they cannot be read in time. */
	confirm(): Promise<boolean>;
}

/**
 * Why a request has no caller. "ended": the token was valid once, but its key is revoked, suspended or expired, or
 * its secret was rotated out; a surface that records refusals gets its owner. "unknown": it was never valid. All get
 * the same 401; only "unknown" counts as a failure of the address.
 */
export type Unauthenticated<Who = never> = "ended" | "unknown" | { readonly ended: Who };

export const isUnauthenticated = <Who>(judged: Standing<Who> | Unauthenticated<Who>): judged is Unauthenticated<Who> =>
	typeof judged === "string" || "ended" in judged;

/** Authentication rejects with this if too many requests of one owner already wait. Other owners continue to wait. */
export class TooManyWait extends Error {
	override readonly name = "TooManyWait";
	constructor() {
		super("Too many requests of this key are waiting at this moment. Nothing was done: send the request again.");
	}
}
