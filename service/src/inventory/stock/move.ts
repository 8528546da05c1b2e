import type { Bucket } from "../../glossary.ts";
import { assert } from "../../ground/lib/assert.ts";
import type { StockBook } from "./book.ts";
import { conserves, type Lot } from "./lot.ts";

export interface Cause {
	/** The command: `receive`, `reserve`, `expire`, … */
	readonly cause: string;
	/** The subject of the command, such as a reservation token or a reason; or null. */
	readonly causeId: string | null;
	/** The token of the hold that loses the units, where `causeId` is a reason. */
	readonly hold?: string;
	readonly origin: Origin;
}

export interface Origin {
	/** `key:<pk>`, `operator:<name>` or `system:<what>`. */
	readonly actor: string;
	/** The request that carried the command, or null. */
	readonly requestId: string | null;
}

/** One ledger entry. Append-only. */
export interface Move extends Cause {
	readonly fgId: string;
	readonly from: Bucket | "received" | "corrected";
	readonly to: Bucket | "corrected";
	readonly units: number;
}

/** Result of an operator's command that moves units. */
export interface Moved {
	readonly fgId: string;
	readonly moved: number;
	/** Of the held units moved: how many were picked again from other lots. */
	readonly replaced: number;
	/** Of the held units moved: how many their holds lost; those holds are now impaired. */
	readonly lost: number;
}

/**
 * Moves units from one bucket of a lot to another and appends a ledger entry; nothing else writes quantities.
 * `received` and `corrected` are the outside world: units come from there, and corrections can send them back. A move
 * that would leave a bucket below zero is a bug in the decision. Units that become free in a recalled lot go into
 * quarantine at once, with a ledger entry of their own (docs/decisions/0037).
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
	const { cause, causeId, hold, origin } = why;
	stock.moves.push({
		fgId: lot.fgId,
		from,
		to,
		units,
		cause,
		causeId,
		origin,
		...(hold === undefined ? {} : { hold }),
	});
	if (to === "available" && lot.recalled)
		move(stock, lot, "available", "quarantined", units, { ...why, cause: "recall" });
}
