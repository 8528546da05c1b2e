import { type FirstRows, firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findShelf } from "../catalog/find-shelf.ts";
import { type ListedMove, lotExists, selectLotIds, selectMoves } from "./list-lots-sql.ts";

/**
 * The history of one lot, or of the lots of a formula in every pool or in that of one brand. Codes of formula and
 * brand.
 */
export type HistoryOf = { readonly fgId: string } | { readonly formula: string; readonly brand: string | null };

/** A move, with what it was about and why told apart. */
export interface HistoryMove extends Omit<ListedMove, "causeId"> {
	/** The reservation token, or the batch number of a receipt; null: a reason says it. */
	readonly about: string | null;
	/** What the operator gave as the reason; null: nobody was asked for one. */
	readonly reason: string | null;
}

/** The newest last; `hasMore`: there are earlier ones. */
export type MoveList = FirstRows<HistoryMove>;

/** Commands that take a reason, and keep it in the ledger. */
const REASONED: ReadonlySet<string> = new Set(["correct", "quarantine", "restore", "destroy"]);

/** The last `limit` moves, in the order of the ledger. Refuses `not_found`, naming what leads nowhere. */
export async function listMoves(db: Query, of: HistoryOf, limit: number): Promise<MoveList | Refusal<"not_found">> {
	const fgIds = await lotsOf(db, of);
	if (isRefusal(fgIds)) return fgIds;
	const { items, hasMore } = await firstRows(limit, (most) => selectMoves(db, fgIds, most));
	return { items: items.toReversed().map(toHistory), hasMore };
}

async function lotsOf(db: Query, of: HistoryOf): Promise<readonly string[] | Refusal<"not_found">> {
	if ("fgId" in of) {
		return (await lotExists(db, of.fgId)) ? [of.fgId] : refuse("not_found", `There is no lot ${of.fgId}.`);
	}
	const shelf = await findShelf(db, of.formula, of.brand);
	if (isRefusal(shelf)) return shelf;
	return await selectLotIds(db, shelf.formulaId, of.brand === null ? null : shelf.poolId);
}

function toHistory({ causeId, ...move }: ListedMove): HistoryMove {
	// a receipt has its batch number there, or, where one was given, a reason
	if (move.cause === "receive") {
		return { ...move, about: move.batchNumber, reason: causeId === move.batchNumber ? null : causeId };
	}
	return REASONED.has(move.cause)
		? { ...move, about: null, reason: causeId }
		: { ...move, about: causeId, reason: null };
}
