import { assert } from "../../ground/lib/assert.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectHoldersOf, selectLosersOf } from "./sql.ts";

/**
 * Holds whose units are picked again in one step: partners wait for the lots of one step at most, some tens of
 * milliseconds.
 */
export const HOLDERS_PER_STEP = 200;
/** Holders looked up at a time: a look goes through every active hold. */
const HOLDERS_PER_LOOK = 20_000;
/** Looks in a row that may find nobody although units are held: their holds came or went in between. */
const MAX_EMPTY_LOOKS = 5;

/**
 * Who has units of these lots, which some have: whoever is to be given others first, or whoever is to lose some first.
 */
export async function findHolders(
	db: Query,
	fgIds: readonly string[],
	first: "given" | "lose" = "given",
): Promise<string[]> {
	const select = first === "given" ? selectHoldersOf : selectLosersOf;
	for (let looks = 0; looks < MAX_EMPTY_LOOKS; looks++) {
		const found = await select(db, [plainArray(fgIds), HOLDERS_PER_LOOK]);
		if (found.length > 0) return found.map(([token]) => token);
	}
	assert(false, `units of lot ${fgIds.join(" or ")} are held, and no hold has them: see holdfast verify`);
	return [];
}
