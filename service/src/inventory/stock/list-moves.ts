import { type FirstRows, firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { isRowId } from "../../partners/admin/page.ts";
import { findShelf, SHARED } from "../catalog/find-shelf.ts";
import { type ListedMove, lotExists, selectLotIds, selectMoves } from "./list-lots-sql.ts";
import { IMPORT_CAUSE } from "./receive.ts";

/**
 * The subject of a history: a lot, or the lots of a formula (by code) in every pool, in the shared one (`shared`), or
 * in one brand's (by code).
 */
export type HistoryOf = { readonly fgId: string } | { readonly formula: string; readonly brand: string | null };

/** A move with its subject and its reason as separate fields. */
export interface HistoryMove extends Omit<ListedMove, "causeId" | "hold"> {
	/** The reservation token, or a receipt's batch number; null if the move names neither. */
	readonly about: string | null;
	/** The operator's reason; null if the command takes none. */
	readonly reason: string | null;
}

/** Commands that record a reason in the ledger. */
const REASONED: ReadonlySet<string> = new Set(["correct", "quarantine", "restore", "destroy"]);

/**
 * The latest `limit` moves, newest first. `before`: only those before this number; null: all. Refuses `not_found`,
 * naming the unknown lot or code.
 */
export async function listMoves(
	db: Query,
	of: HistoryOf,
	{ before = null, limit }: { readonly before?: number | null; readonly limit: number },
): Promise<FirstRows<HistoryMove> | Refusal<"not_found">> {
	const fgIds = await lotsOf(db, of);
	if (isRefusal(fgIds)) return fgIds;
	const { items, hasMore } = await firstRows(limit, (most) => selectMoves(db, fgIds, before, most));
	return { items: items.map(toHistory), hasMore };
}

async function lotsOf(db: Query, of: HistoryOf): Promise<readonly string[] | Refusal<"not_found">> {
	if ("fgId" in of) {
		return (await lotExists(db, of.fgId)) ? [of.fgId] : refuse("not_found", `There is no lot ${of.fgId}.`);
	}
	const shelf = await findShelf(db, of.formula, of.brand === SHARED ? null : of.brand);
	if (isRefusal(shelf)) return shelf;
	return await selectLotIds(db, shelf.formulaId, of.brand);
}

function toHistory({ causeId, hold, ...move }: ListedMove): HistoryMove {
	const isRecall = move.cause === "recall";
	// units that come back to a recalled lot name their hold, and have no reason
	const isReason = REASONED.has(move.cause) || (isRecall && !isRowId(causeId ?? ""));
	// a receipt, even one into a recalled batch, records its batch number in `causeId`, unless a reason was given
	if (isReceipt(move) || (isRecall && hold === null && causeId === move.batchNumber))
		return { ...move, about: move.batchNumber, reason: causeId === move.batchNumber ? null : causeId };
	return isReason ? { ...move, about: hold, reason: causeId } : { ...move, about: causeId, reason: null };
}

const isReceipt = ({ cause }: Pick<ListedMove, "cause">): boolean => cause === "receive" || cause === IMPORT_CAUSE;
