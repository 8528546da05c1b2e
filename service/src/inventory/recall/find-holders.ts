import { assert } from "../../ground/lib/assert.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectHoldersOf, selectLosersOf } from "./sql.ts";

/**
 * Maximum number of holders whose units are picked again in one step, so that it locks their lots for only some tens of
 * milliseconds.
 */
export const HOLDERS_PER_STEP = 200;
/** Maximum number of holders read at a time; each read scans all active holds. */
const HOLDERS_PER_LOOK = 20_000;
/** Maximum number of reads that find no holder although units are held, because holds changed in between. */
const MAX_EMPTY_LOOKS = 5;

/** The holders of these lots, in the order in which they get replacements or lose units. Some units must be held. */
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
	assert(false, `units of lot ${fgIds.join(" or ")} are held, but no hold has them: run holdfast verify`);
	return [];
}

/** The holders of the next step, and those of later steps, which the run's memo keeps. */
export function nextHolders(holders: readonly string[]): {
	readonly named: string[];
	readonly rest: readonly string[];
} {
	return { named: holders.slice(0, HOLDERS_PER_STEP), rest: holders.slice(HOLDERS_PER_STEP) };
}
