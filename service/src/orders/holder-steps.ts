import { assert } from "../lib/assert.ts";
import { wait } from "../lib/clock.ts";
import { isRefusal } from "../lib/refusal.ts";
import { plainArray } from "../pg/array.ts";
import type { Query } from "../pg/connect.ts";
import { selectHoldersOf } from "./holder-steps-sql.ts";

/* Quarantines, recalls and restores change units of whoever holds them, in steps that each are a batch of their own. */

/** Holds whose units are picked again in one step: partners wait for the lots of one step at most, some tens of milliseconds. */
export const HOLDERS_PER_STEP = 200;
/** Holders looked up at a time: a look goes through every active hold. */
const HOLDERS_PER_LOOK = 20_000;
/** Looks in a row that may find nobody although units are held: their holds came or went in between. */
const MAX_EMPTY_LOOKS = 5;
/** Times in a row that a step is tried again when the engine is busy or somebody else has the lot. */
const MAX_TRIES = 5;
/** Milliseconds between those tries. */
const TRY_AGAIN_MS = 1_000;

/** A step that finds the engine busy, or the lot in somebody else's hands, is tried again after a pause. */
export async function oneStep<A>(execute: () => Promise<A>): Promise<A> {
	for (let tries = 1; ; tries++) {
		const answer = await execute();
		if (!isRefusal(answer) || answer.refusal !== "rate_limited" || tries === MAX_TRIES) return answer;
		await wait(TRY_AGAIN_MS);
	}
}

/** Who has units of these lots, which some have. */
export async function findHolders(db: Query, fgIds: readonly string[]): Promise<string[]> {
	for (let looks = 0; looks < MAX_EMPTY_LOOKS; looks++) {
		const found = await selectHoldersOf(db, [plainArray(fgIds), HOLDERS_PER_LOOK]);
		if (found.length > 0) return found.map(([token]) => token);
	}
	assert(false, `units of lot ${fgIds.join(" or ")} are held, and no hold has them: see holdfast verify`);
	return [];
}
