import { type Refusal, refuse } from "../lib/refusal.ts";
import type { Book } from "./book.ts";
import type { Correct, Moved, Receive, Received, Restore } from "./commands.ts";
import { MAX_UNITS } from "./limits.ts";
import type { Lot } from "./lot.ts";
import { move } from "./move.ts";

export function decideReceive(book: Book, command: Receive): Received | Refusal<"invalid_input" | "not_found"> {
	if (!book.catalog.formulas.has(command.formulaId))
		return refuse("not_found", `There is no formula ${command.formulaId}.`);
	const known = findBatch(book, command);
	if (known && known.expiresOn !== command.expiresOn) {
		return refuse(
			"invalid_input",
			`Batch ${command.batchNumber} is on record as expiring ${known.expiresOn ?? "never"}, not ${command.expiresOn ?? "never"}: use another batch number, or the date on record.`,
		);
	}
	const units = unitsToReceive(command.units, known?.received ?? 0);
	if ((known?.received ?? 0) + units > MAX_UNITS) {
		return refuse("invalid_input", `A lot takes ${MAX_UNITS} units at most.`);
	}
	const lot = known ?? newLot(book, command);
	const why = { cause: "receive", causeId: command.batchNumber, origin: command.origin };
	if (units > 0) move(book, lot, "received", "available", units, why);
	return { fgId: lot.fgId, received: lot.received };
}

const unitsToReceive = (asked: Receive["units"], received: number): number =>
	typeof asked === "number" ? asked : Math.max(0, asked.inAll - received);

function findBatch(book: Book, { formulaId, poolId, batchNumber }: Receive): Lot | undefined {
	return book.lots(formulaId, poolId).find((lot) => lot.batchNumber === batchNumber);
}

function newLot(book: Book, command: Receive): Lot {
	const lot: Lot = {
		fgId: command.newFgId,
		formulaId: command.formulaId,
		poolId: command.poolId,
		batchNumber: command.batchNumber,
		expiresOn: command.expiresOn,
		receivedOn: command.receivedOn ?? book.today,
		received: 0,
		corrected: 0,
		available: 0,
		held: 0,
		allocated: 0,
		consumed: 0,
		shipped: 0,
		quarantined: 0,
		destroyed: 0,
	};
	book.addLot(lot);
	book.newLots.add(lot);
	return lot;
}

/** A recount of free units. Held units are not touched: quarantine or destroy what is not there. */
export function decideCorrect(
	book: Book,
	{ fgId, units, reason, origin }: Correct,
): Moved | Refusal<"not_found" | "invalid_input"> {
	const lot = book.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	if (units === 0) return refuse("invalid_input", "A correction of 0 units changes nothing.");
	if (-units > lot.available) {
		return refuse(
			"invalid_input",
			`Lot ${fgId} has ${lot.available} free units, so ${-units} cannot be taken off; destroy takes held units too.`,
		);
	}
	if (lot.received + lot.corrected + units > MAX_UNITS) {
		return refuse("invalid_input", `A lot takes ${MAX_UNITS} units at most.`);
	}
	const why = { cause: "correct", causeId: reason, origin };
	if (units > 0) move(book, lot, "corrected", "available", units, why);
	else move(book, lot, "available", "corrected", -units, why);
	return { fgId, moved: Math.abs(units), replaced: 0, lost: 0 };
}

export function decideRestore(
	book: Book,
	{ fgId, units, reason, origin }: Restore,
): Moved | Refusal<"not_found" | "invalid_input"> {
	const lot = book.lotsById.get(fgId);
	if (!lot) return refuse("not_found", `There is no lot ${fgId}.`);
	const moved = units === "all" ? lot.quarantined : units;
	if (moved > lot.quarantined) {
		return refuse("invalid_input", `Lot ${fgId} has ${lot.quarantined} units in quarantine, not ${moved}.`);
	}
	if (moved > 0) move(book, lot, "quarantined", "available", moved, { cause: "restore", causeId: reason, origin });
	return { fgId, moved, replaced: 0, lost: 0 };
}
