import { type Refusal, refuse } from "../lib/refusal.ts";
import type { BookWithStock } from "./book.ts";
import type { StockKind } from "./kind.ts";
import { type Moved, move, type Origin } from "./move.ts";

/** Quarantined units are good after all. */
export interface RestoreCommand {
	readonly kind: "restore";
	readonly origin: Origin;
	readonly fgId: string;
	readonly units: number | "all";
	readonly reason: string;
}

export const restore: StockKind<RestoreCommand, Moved | Refusal<"not_found" | "invalid_input">> = {
	looksUp: true,
	conflict: "rate_limited",
	needs: (needs, { fgId }) => void needs.fgIds.add(fgId),
	decide: decideRestore,
};

function decideRestore(
	book: BookWithStock,
	{ fgId, units, reason, origin }: RestoreCommand,
): Moved | Refusal<"not_found" | "invalid_input"> {
	const lot = book.stock.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	const moved = units === "all" ? lot.quarantined : units;
	if (moved > lot.quarantined) {
		return refuse("invalid_input", `Lot ${fgId} has ${lot.quarantined} units in quarantine, not ${moved}.`);
	}
	if (moved > 0)
		move(book.stock, lot, "quarantined", "available", moved, { cause: "restore", causeId: reason, origin });
	return { fgId, moved, replaced: 0, lost: 0 };
}
