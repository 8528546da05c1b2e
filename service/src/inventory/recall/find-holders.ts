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

/**
 * The holders of these lots, in the order in which they get replacements or lose units. Without the locks of the lots
 * there may be none although units were held a moment ago: a hold that ends gives its units back.
 */
export async function findHolders(
	db: Query,
	fgIds: readonly string[],
	first: "given" | "lose" = "given",
): Promise<string[]> {
	const select = first === "given" ? selectHoldersOf : selectLosersOf;
	return (await select(db, [plainArray(fgIds), HOLDERS_PER_LOOK])).map(([token]) => token);
}

/** The same for lots that this transaction has locked and that have held units: there must be at least one holder. */
export async function findHoldersOfLocked(...of: Parameters<typeof findHolders>): Promise<string[]> {
	const holders = await findHolders(...of);
	assert(holders.length > 0, `units of lot ${of[1].join(" or ")} are held, but no hold has them: run holdfast verify`);
	return holders;
}

/** The holders of the next step, and those of later steps, which the run's memo keeps. */
export function nextHolders(holders: readonly string[]): {
	readonly named: string[];
	readonly rest: readonly string[];
} {
	return { named: holders.slice(0, HOLDERS_PER_STEP), rest: holders.slice(HOLDERS_PER_STEP) };
}

/** The holders that the previous step left, if this node carried it out and some were left; otherwise found again. */
export async function remembered(memo: unknown, find: () => Promise<readonly string[]>): Promise<readonly string[]> {
	const holders = memo as readonly string[] | undefined;
	return holders === undefined || holders.length === 0 ? await find() : holders;
}
