import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { OpenAgain } from "../stock/engine.ts";
import type { Shelves } from "../stock/shelves.ts";
import { selectLotIds } from "../stock/sql.ts";
import type { Answer, Command } from "./commands.ts";
import type { HoldBook } from "./hold-book.ts";
import type { More } from "./load.ts";
import { needsOf } from "./needs.ts";

/**
 * Before a reserve is refused for want of units: did a lot come to its shelves while the batch waited for its locks? Nothing
 * else needs this care: references are looked up under the locks, and a stale grant is stopped by them and the unique index.
 * Null: no such refusal. @throws OpenAgain, in the promise, when there is something new.
 */
export function doubtRefusals(
	tx: Query,
	book: HoldBook,
	commands: readonly Command[],
	answers: readonly Answer[],
): Promise<void> | null {
	const short = commands.filter((_, i) => isShort(answers[i]));
	const { shelves } = needsOf(short, book.catalog);
	return shelves.size === 0 ? null : refuseNewLots(tx, book, shelves);
}

async function refuseNewLots(tx: Query, book: HoldBook, shelves: Shelves): Promise<void> {
	const lots = await selectLotIds(tx, shelves);
	const newLots = lots.map(([fgId]) => fgId).filter((fgId) => !book.lotsById.has(fgId));
	if (newLots.length === 0) return;
	const more: More = { shelves: new Map(book.locked.shelves), fgIds: new Set([...book.locked.fgIds, ...newLots]) };
	throw new OpenAgain(more);
}

const isShort = (answer: Answer | undefined): boolean => isRefusal(answer) && answer.refusal === "no_inventory";
