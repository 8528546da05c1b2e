import { assert } from "../../ground/lib/assert.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectHoldersOf, selectLosersOf } from "./sql.ts";

/** Holders picked again per step: their lots are locked for at most some tens of milliseconds. */
export const HOLDERS_PER_STEP = 200;
/** Holders read at a time; each read scans all active holds. */
const HOLDERS_PER_LOOK = 20_000;
/** How often a read may find no holder although units are held, because holds changed in between. */
const MAX_EMPTY_LOOKS = 5;

/** Holders of these lots, of which some units are held, by who gets replacements or loses units first. */
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

/** The holders of the next step, and those of later ones, which the memo of a run carries on. */
export function nextHolders(holders: readonly string[]): {
	readonly named: string[];
	readonly rest: readonly string[];
} {
	return { named: holders.slice(0, HOLDERS_PER_STEP), rest: holders.slice(HOLDERS_PER_STEP) };
}
