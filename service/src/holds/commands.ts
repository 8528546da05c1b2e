import type { Caller } from "../keys/key.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { Correct, Moved, Receive, Received, Restore, TakenOut, TakeOut } from "../stock/commands.ts";
import type { Origin } from "../stock/move.ts";
import type { Hold } from "./hold.ts";

export interface RequestLine {
	readonly sku: string;
	/** Kits. */
	readonly qty: number;
	readonly brandCode: string | undefined;
}

export interface Reserve {
	readonly kind: "reserve";
	readonly origin: Origin;
	readonly caller: Caller;
	/** Token for the hold if one is made. */
	readonly newToken: string;
	readonly lines: readonly RequestLine[];
	/** Minutes, already clamped to the operator's limit. */
	readonly ttlMinutes: number;
	readonly externalRef: string | null;
}
export interface Release {
	readonly kind: "release";
	readonly origin: Origin;
	readonly caller: Caller;
	readonly token: string;
}
export interface Consume {
	readonly kind: "consume";
	readonly origin: Origin;
	readonly caller: Caller;
	readonly token: string;
	readonly externalRef: string;
}
export interface ReverseConsume {
	readonly kind: "reverse";
	readonly origin: Origin;
	readonly caller: Caller;
	/** The reference the consume was made under. */
	readonly externalRef: string;
}
/** Time did it: frees the units of a hold that is past its end. */
export interface Expire {
	readonly kind: "expire";
	readonly origin: Origin;
	readonly token: string;
}

export type Command = Reserve | Release | Consume | ReverseConsume | Expire | Receive | Correct | Restore | TakeOut;

export interface Reserved {
	readonly hold: HoldPicture;
	readonly idempotent: boolean;
	/** The body of a replay asked for other items than the hold has. */
	readonly itemsDiffer: boolean;
}
export interface Consumed {
	readonly consumedUnits: number;
	readonly idempotent: boolean;
}
export interface Returned {
	readonly returnedUnits: number;
	readonly idempotent: boolean;
}

/** A hold as it was when it was answered: later commands of the batch may change the hold itself. */
export type HoldPicture = Pick<Hold, "token" | "expiresAt" | "lines"> & {
	readonly parts: readonly Hold["parts"][number][];
};

/** What each command is answered, refusals included. */
export interface Answers {
	reserve: Reserved | ReserveRefusal;
	release: { readonly ok: true } | Refusal<"not_found" | "gone">;
	consume: Consumed | Refusal<"not_found" | "wrong_state" | "invalid_input">;
	reverse: Returned | Refusal<"not_found" | "not_consumed" | "not_reversible">;
	expire: { readonly expired: boolean };
	receive: Received | Refusal<"not_found" | "invalid_input">;
	correct: Moved | Refusal<"not_found" | "invalid_input">;
	restore: Moved | Refusal<"not_found" | "invalid_input">;
	quarantine: TakenOut | Refusal<"not_found" | "invalid_input">;
	destroy: TakenOut | Refusal<"not_found" | "invalid_input">;
}
export type ReserveRefusal = Refusal<
	"brand_mismatch" | "invalid_input" | "invalid_item" | "retry" | "rate_limited" | "no_inventory"
>;
export type Answer = Answers[keyof Answers];
