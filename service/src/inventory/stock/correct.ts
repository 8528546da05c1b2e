import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { BookWithStock } from "./book.ts";
import type { StockKind } from "./kind.ts";
import { MAX_UNITS } from "./limits.ts";
import { type Moved, move, type Origin } from "./move.ts";
import { bringIn } from "./recalled.ts";

/** Corrects a miscount of received units: `units` more (or, if negative, fewer) are free. */
export interface CorrectCommand {
	readonly kind: "correct";
	readonly origin: Origin;
	readonly fgId: string;
	readonly units: number;
	/** Null: no reason was given. */
	readonly reason: string | null;
}

export interface Corrected extends Moved {
	/** Whether the units went into quarantine, because a lot of the batch number is recalled. */
	readonly quarantined: boolean;
}

type Answer = Corrected | Refusal<"not_found" | "invalid_input">;

export const correct: StockKind<CorrectCommand, Answer> = {
	looksUp: true,
	needs(needs, { fgId, units }) {
		needs.fgIds.add(fgId);
		if (units > 0) needs.broughtInto.add(fgId);
	},
	decide: decideCorrect,
};

/** A recount of free units only. Held units stay; quarantine or destroy those that turn out not to exist. */
function decideCorrect(book: BookWithStock, { fgId, units, reason, origin }: CorrectCommand): Answer {
	const lot = book.stock.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	if (units === 0) return refuse("invalid_input", "A correction of 0 units changes nothing.");
	if (-units > lot.available) {
		return refuse(
			"invalid_input",
			`The lot of batch ${lot.batchNumber} has ${lot.available} free units, so ${-units} cannot be taken off; destroy takes held units too.`,
		);
	}
	if (lot.received + lot.corrected + units > MAX_UNITS) {
		return refuse("invalid_input", `A lot can have at most ${MAX_UNITS} units.`);
	}
	const why = { cause: "correct", causeId: reason, origin };
	const quarantined = units > 0 && bringIn(book.stock, lot, { from: "corrected", units, accepted: false, why });
	if (units < 0) move(book.stock, lot, "available", "corrected", -units, why);
	return { fgId, moved: Math.abs(units), replaced: 0, lost: 0, quarantined };
}
