import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { BookWithStock } from "./book.ts";
import type { StockKind } from "./kind.ts";
import { MAX_UNITS } from "./limits.ts";
import type { Lot } from "./lot.ts";
import type { Origin } from "./move.ts";
import { bringIn } from "./recalled.ts";

/** The cause of an import's receipts in the ledger. */
export const IMPORT_CAUSE = "import";

export interface ReceiveCommand {
	readonly kind: "receive";
	readonly origin: Origin;
	readonly newFgId: string;
	readonly formulaId: string;
	readonly poolId: number;
	readonly batchNumber: string;
	/**
	 * YYYY-MM-DD; null: never expires. An existing lot must have this date. Undefined: its date; never for a new lot.
	 */
	readonly expiresOn: string | null | undefined;
	/** YYYY-MM-DD; null: today in the operator's time zone. */
	readonly receivedOn: string | null;
	/** Units to add; or, for an import, `inAll`: the total that the lot should have received, if that is more. */
	readonly units: number | { readonly inAll: number };
	/** The reason for the ledger; absent: the batch number is recorded. */
	readonly reason?: string;
	/** The operator confirms, with a reason, that units are good although a lot of their batch number is recalled. */
	readonly acceptRecalled?: boolean;
}

export interface Received {
	readonly fgId: string;
	/** Total units that the lot has received. */
	readonly received: number;
	/** Whether the units went into quarantine, because a lot of the batch number is recalled. */
	readonly quarantined: boolean;
}

export const receive: StockKind<ReceiveCommand, Received | Refusal<"invalid_input" | "not_found">> = {
	looksUp: true,
	needs: (needs, command) => void needs.batches.push(command),
	decide: decideReceive,
};

function decideReceive(
	book: BookWithStock,
	command: ReceiveCommand,
): Received | Refusal<"invalid_input" | "not_found"> {
	if (!book.catalog.formulas.has(command.formulaId))
		return refuse("not_found", `There is no formula ${command.formulaId}.`);
	const known = findBatch(book, command);
	if (known && command.expiresOn !== undefined && known.expiresOn !== command.expiresOn) {
		return refuse(
			"invalid_input",
			`Batch ${command.batchNumber} is on record as expiring ${known.expiresOn ?? "never"}, not ${command.expiresOn ?? "never"}: use another batch number, or the date on record.`,
		);
	}
	if (!known && command.batchNumber !== command.batchNumber.trim()) {
		return refuse(
			"invalid_input",
			`The batch number ${JSON.stringify(command.batchNumber)} begins or ends with white space: it would be a separate batch that looks like another one.`,
		);
	}
	const units = unitsToReceive(command.units, known?.received ?? 0);
	if ((known?.received ?? 0) + units > MAX_UNITS) {
		return refuse("invalid_input", `A lot can have at most ${MAX_UNITS} units.`);
	}
	const accepted = command.acceptRecalled === true && book.stock.recalledBatches.has(command);
	const problem = accepted ? wrongAcceptance(command, known) : null;
	if (problem !== null) return problem;
	const lot = known ?? newLot(book, command);
	const reason = command.reason ?? command.batchNumber;
	const causeId = accepted ? `accepted although the batch is recalled: ${reason}` : reason;
	const why = { cause: causeOf(command), causeId, origin: command.origin };
	const quarantined = units > 0 && bringIn(book.stock, lot, { from: "received", units, accepted, why });
	return { fgId: lot.fgId, received: lot.received, quarantined };
}

/** An import's receipts have their own cause, by which the next import finds the units that imports received. */
const causeOf = ({ units }: ReceiveCommand): string => (typeof units === "number" ? "receive" : IMPORT_CAUSE);

function wrongAcceptance({ reason }: ReceiveCommand, known: Lot | undefined): Refusal<"invalid_input"> | null {
	if (reason === undefined)
		return refuse(
			"invalid_input",
			"Units of a recalled batch number are accepted only with a reason: say why they are good.",
		);
	if (known?.recalled !== true) return null;
	return refuse(
		"invalid_input",
		`The lot of batch ${known.batchNumber} itself is recalled and cannot receive free units: restore it if it is good after all, or receive these units into quarantine.`,
	);
}

const unitsToReceive = (asked: ReceiveCommand["units"], received: number): number =>
	typeof asked === "number" ? asked : Math.max(0, asked.inAll - received);

function findBatch(book: BookWithStock, { formulaId, poolId, batchNumber }: ReceiveCommand): Lot | undefined {
	return book.stock.everyLot(formulaId, poolId).find((lot) => lot.batchNumber === batchNumber);
}

function newLot(book: BookWithStock, command: ReceiveCommand): Lot {
	const lot: Lot = {
		fgId: command.newFgId,
		formulaId: command.formulaId,
		poolId: command.poolId,
		batchNumber: command.batchNumber,
		expiresOn: command.expiresOn ?? null,
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
		recalled: false,
	};
	book.stock.addLot(lot);
	book.stock.newLots.add(lot);
	return lot;
}
