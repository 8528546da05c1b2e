import { OpenAgain } from "../engine/steps.ts";
import type { Query } from "../pg/connect.ts";
import { selectLotIds } from "../stock/sql.ts";
import type { HoldBook } from "./hold-book.ts";
import type { More } from "./load.ts";

/**
 * Before a reserve is refused for want of units: did a lot come to the shelves that were short while the batch waited for its
 * locks? Nothing else needs this care: references are looked up under the locks, and a stale grant is stopped by them and the
 * unique index. Null: nothing was short. @throws OpenAgain, in the promise, when there is something new.
 */
export const doubtShortages = (tx: Query, book: HoldBook): Promise<void> | null =>
	book.shortShelves.size === 0 ? null : refuseNewLots(tx, book);

async function refuseNewLots(tx: Query, book: HoldBook): Promise<void> {
	const lots = await selectLotIds(tx, book.shortShelves);
	const newLots = lots.map(([fgId]) => fgId).filter((fgId) => !book.lotsById.has(fgId));
	if (newLots.length === 0) return;
	const more: More = { shelves: new Map(book.locked.shelves), fgIds: new Set([...book.locked.fgIds, ...newLots]) };
	throw new OpenAgain(more);
}
