import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { HoldBook } from "../holds/hold-book.ts";
import { readHolds, readParts, toHold, toPart } from "../holds/sql.ts";

/** Active and placed holds with their lines and parts, from one snapshot. For reports: locks nothing. */
export async function readHolders(tx: Query, tokens: readonly string[]): Promise<HoldBook> {
	const holds = new HoldBook();
	for (const row of await readHolds(tx, tokens)) holds.addHold(toHold(row));
	for (const row of await readParts(tx, tokens)) {
		const [token] = row;
		const hold = must(holds.byToken.get(token), "the hold of a part");
		hold.parts.push(toPart(row, hold.status).part);
	}
	return holds;
}
