import type { Executes } from "../engine/kind.ts";
import type { HOLD_COMMANDS } from "../holds/commands.ts";
import type { TakenOut, TakeOutCommand } from "../holds/quarantine.ts";
import { assert } from "../lib/assert.ts";
import { wait } from "../lib/clock.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import { plainArray } from "../pg/array.ts";
import type { Query } from "../pg/connect.ts";
import type { Moved } from "../stock/move.ts";
import { selectHoldersOf } from "./take-out-sql.ts";

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

/** Part of the units was taken, and then it could not go on. What was taken stays taken; the same again takes the rest. */
export class TakeOutInterrupted extends Error {
	readonly soFar: TakenOut;
	constructor(soFar: TakenOut, why: string, cause?: unknown) {
		super(why, { cause });
		this.soFar = soFar;
	}
}

/**
 * Quarantines or destroys units of a lot, whoever holds them, in steps that each are a batch of their own: free units first, then
 * those of the youngest holds. Between steps partners are served. `onStep` is told after each how far it has come.
 * @throws TakeOutInterrupted
 */
export async function takeOut(
	db: Query,
	engine: Executes<typeof HOLD_COMMANDS>,
	command: Omit<TakeOutCommand, "holders">,
	onStep: (soFar: TakenOut) => void = () => undefined,
): Promise<Moved | Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">> {
	let soFar: TakenOut = { fgId: command.fgId, moved: 0, replaced: 0, lost: 0, left: 0 };
	let holders: string[] = [];
	try {
		for (;;) {
			const units = soFar.moved > 0 && command.units !== "all" ? soFar.left : command.units;
			const named = holders.splice(0, HOLDERS_PER_STEP);
			const step = await oneStep(() => engine.execute({ ...command, units, holders: named }));
			if (isRefusal(step)) {
				if (soFar.moved === 0) return step;
				throw new TakeOutInterrupted(soFar, step.message);
			}
			soFar = {
				fgId: command.fgId,
				moved: soFar.moved + step.moved,
				replaced: soFar.replaced + step.replaced,
				lost: soFar.lost + step.lost,
				left: step.left,
			};
			onStep(soFar);
			if (soFar.left === 0) break;
			if (holders.length === 0) holders = await findHolders(db, [command.fgId]);
		}
	} catch (error) {
		if (error instanceof TakeOutInterrupted || soFar.moved === 0) throw error;
		throw new TakeOutInterrupted(soFar, error instanceof Error ? error.message : String(error), error);
	}
	const { left: _none, ...moved } = soFar;
	return moved;
}

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
