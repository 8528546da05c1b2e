import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { closeExceptions, type ExceptionRow, selectException, selectOpenSubjects } from "./exceptions-sql.ts";
import { MAX_NOTE_LENGTH } from "./limits.ts";
import { lockKnownOrder, saveOrder } from "./orders-sql.ts";
import { isStorableText } from "./report.ts";

export interface ResolvedException {
	readonly exceptionId: number;
	readonly reference: string;
	/** Null: no reason was given. */
	readonly note: string | null;
	/** False: it had been dismissed before, and stays as it was. */
	readonly changed: boolean;
}

/**
 * Closes an exception that the operator has handled otherwise, such as by a stock correction: nothing more is promised
 * or drawn down for it. One that was dismissed before stays as it is. Refuses `not_found` for an unknown exception,
 * `wrong_state` for one that closed in another way and `invalid_input` for a note that is too long.
 */
export async function resolveException(
	tx: Query,
	exceptionId: number,
	note: string | null,
	origin: Origin,
): Promise<ResolvedException | Refusal<"not_found" | "wrong_state" | "invalid_input">> {
	if (note !== null && !isStorableText(note, MAX_NOTE_LENGTH))
		return refuse("invalid_input", `A note has 1 to ${MAX_NOTE_LENGTH} characters.`);
	const named = await selectException(tx, exceptionId);
	if (named === null) return refuse("not_found", `There is no exception ${exceptionId}.`);
	const order = await lockKnownOrder(tx, named.reference);
	const exception = (await selectException(tx, exceptionId)) ?? named; // read again under the lock
	const { reference, outcome } = exception;
	if (outcome === "resolved") return { exceptionId, reference, note: exception.note, changed: false };
	if (outcome !== null) return refuse("wrong_state", `Exception ${exceptionId} is closed already.`);
	const { rows } = await closeExceptions(tx, [exceptionId], "resolved", origin.actor, note);
	if (rows.length === 0) return refuse("wrong_state", `Exception ${exceptionId} has just been closed.`);
	if (order !== null) await excuse(tx, order, exception);
	return { exceptionId, reference, note, changed: true };
}

/** Marks shipped kits of the SKU, or of the store, as settled. */
async function excuse(
	tx: Query,
	order: NonNullable<Awaited<ReturnType<typeof lockKnownOrder>>>,
	{ kind, subject, reference }: ExceptionRow,
): Promise<void> {
	if (kind === "shortage") return;
	// lines with another open exception stay unsettled
	const others = kind === "unknown_store" ? await selectOpenSubjects(tx, reference) : null;
	const isMeant = (sku: string): boolean => (others === null ? sku === subject : !others.has(sku));
	const lines = order.lines.map((line) => (isMeant(line.sku) ? { ...line, settledQty: line.shippedQty } : line));
	await saveOrder(tx, { ...order, lines }, true);
}
