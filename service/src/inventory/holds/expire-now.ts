import { assert } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Origin } from "../stock/move.ts";
import { freeHold } from "./end-hold.ts";
import type { BookWithHolds } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";
import { NO_HOLD, ONE_HOLD, ownHold } from "./own-hold.ts";

/** Ends a hold now, to let a partner test expiry. Sandbox only (settlements, section 10). */
export interface ExpireNowCommand {
	readonly kind: "expireNow";
	readonly origin: Origin;
	readonly caller: Caller;
	readonly token: string;
}

export interface ExpiredNow {
	readonly token: string;
	/** Epoch milliseconds; the hold's new end. */
	readonly expiresAt: number;
}

type Answer = ExpiredNow | Refusal<"not_found" | "wrong_state">;

export const expireNow: HoldKind<ExpireNowCommand, Answer> = { ...ONE_HOLD, decide: decideExpireNow };

function decideExpireNow(book: BookWithHolds, { caller, token, origin }: ExpireNowCommand): Answer {
	assert(caller.environment === "sandbox", "a live hold is ended by time alone");
	const hold = ownHold(book, caller.keyId, token);
	if (!hold) return NO_HOLD;
	if (hold.status !== "active") {
		return refuse("wrong_state", `This hold is ${hold.status} and cannot expire: only an active hold can.`);
	}
	freeHold(book, hold, "expired", { cause: "expire", causeId: token, origin });
	hold.expiresAt = book.now;
	return { token, expiresAt: hold.expiresAt };
}
