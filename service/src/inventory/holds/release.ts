import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Origin } from "../stock/move.ts";
import { freeHold } from "./end-hold.ts";
import type { BookWithHolds } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";
import { NO_HOLD, ONE_HOLD, ownHold } from "./own-hold.ts";

export interface ReleaseCommand {
	readonly kind: "release";
	readonly origin: Origin;
	/** Null: the operator, who may release any key's hold. */
	readonly caller: Caller | null;
	readonly token: string;
}

export const HOLD_EXPIRED = refuse(
	"gone",
	"This hold expired and its units are free again: there is nothing to release.",
);
/** `idempotent`: it was released before. */
type Answer = { readonly ok: true; readonly idempotent: boolean } | Refusal<"not_found" | "gone">;

export const release: HoldKind<ReleaseCommand, Answer> = { ...ONE_HOLD, decide: decideRelease };

/** Row "release" of the table "Token x operation" in settlements, section 5. */
function decideRelease(book: BookWithHolds, { caller, token, origin }: ReleaseCommand): Answer {
	const hold = ownHold(book, caller?.keyId ?? null, token);
	if (!hold) return NO_HOLD;
	switch (hold.status) {
		case "active":
			freeHold(book, hold, "released", { cause: "release", causeId: token, origin });
			return { ok: true, idempotent: false };
		case "released":
			return { ok: true, idempotent: true };
		case "expired":
			return HOLD_EXPIRED;
		default:
			return refuse("gone", `This hold is ${hold.status}: there is nothing to release.`);
	}
}
