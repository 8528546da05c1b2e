import type { Bucket } from "../../glossary.ts";
import { assert } from "../../ground/lib/assert.ts";
import type { StockBook } from "./book.ts";
import { conserves, type Lot } from "./lot.ts";

/** Why and by whom units move. */
export interface Cause {
	/** The command: `receive`, `reserve`, `expire`, … */
	readonly cause: string;
	/** What it was about: a reservation token, a reason; or null. */
	readonly causeId: string | null;
	readonly origin: Origin;
}

/** Who asked. */
export interface Origin {
	/** `key:<pk>`, `operator:<name>` or `system:<what>`. */
	readonly actor: string;
	/** The request that brought the command, or null. */
	readonly requestId: string | null;
}

/** One line of the ledger. Append-only. */
export interface Move extends Cause {
	readonly fgId: string;
	readonly from: Bucket | "received" | "corrected";
	readonly to: Bucket | "corrected";
	readonly units: number;
}

/** What a command of the operator moved. */
export interface Moved {
	readonly fgId: string;
	/** Units moved. */
	readonly moved: number;
	/** Of held units moved: picked again from other lots. */
	readonly replaced: number;
	/** Of held units moved: lost to their holds, which are now impaired. */
	readonly lost: number;
}

/**
 * The only writer of quantities: takes `units` out of one bucket of a lot and puts them into another, and leaves a line
 * in the ledger. `received` and `corrected` are the outside world: units come from there, and corrections can send them
 * back. A move that would leave a bucket below zero is a bug of the decision before it. Units that come back to a
 * recalled lot, or into it, go on into quarantine at once, with a line of their own (docs/decisions/0037).
 */
export function move(stock: StockBook, lot: Lot, from: Move["from"], to: Move["to"], units: number, why: Cause): void {
	assert(Number.isInteger(units) && units > 0, `a move of ${units} units`);
	assert(from !== to, `a move from ${from} to itself`);
	if (from === "received" || from === "corrected") lot[from] += units;
	else lot[from] -= units;
	if (to === "corrected") lot.corrected -= units;
	else lot[to] += units;
	assert(from === "received" || from === "corrected" || lot[from] >= 0, `${from} of lot ${lot.fgId} below zero`);
	assert(conserves(lot), `units of lot ${lot.fgId} made or lost`);
	stock.touchedLots.add(lot);
	stock.moves.push({
		fgId: lot.fgId,
		from,
		to,
		units,
		cause: why.cause,
		causeId: why.causeId,
		origin: why.origin,
	});
	if (to === "available" && lot.recalled)
		move(stock, lot, "available", "quarantined", units, { ...why, cause: "recall" });
}
