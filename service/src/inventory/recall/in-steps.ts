import type { Executes } from "../../ground/engine/kind.ts";
import { assert, messageOf } from "../../ground/lib/assert.ts";
import { wait } from "../../ground/lib/clock.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noLotOfBatch } from "../stock/find-lot.ts";
import { selectLotsOfBatch } from "../stock/find-lot-sql.ts";
import type { Moved } from "../stock/move.ts";
import type { RECALL_COMMANDS } from "./commands.ts";
import type { TakenOut, TakeOutCommand } from "./quarantine.ts";
import type { RecallCommand } from "./recall.ts";
import type { RestoreCommand, Restored } from "./restore.ts";
import { selectHoldersOf, selectLosersOf, selectLotsToRecall, selectWhoLacks } from "./sql.ts";

/* Runs this room's operator commands in steps, a batch each, so that partners are served (docs/decisions/0023). */

type Engine = Executes<typeof RECALL_COMMANDS>;

/** Most attempts of a step while the engine is busy or the lot is locked. */
const MAX_TRIES = 5;
/** Milliseconds between those attempts. */
const TRY_AGAIN_MS = 1_000;

/** Thrown when some steps are done and the next failed. Completed steps stay; repeating the command does the rest. */
export class StepsInterrupted<S> extends Error {
	readonly soFar: S;
	constructor(soFar: S, why: string, cause?: unknown) {
		super(why, { cause });
		this.soFar = soFar;
	}
}

interface Course<S, R extends Refusal> {
	readonly start: S;
	/** Whether anything permanent has been done. */
	isBegun(soFar: S): boolean;
	/** Executes the next step and returns the progress; null: all is done. */
	next(soFar: S): Promise<S | R | null>;
	readonly onStep: ((soFar: S) => void) | undefined;
}

/** Runs steps until done. A refusal or error of the first step is passed on. @throws StepsInterrupted */
async function inSteps<S, R extends Refusal>({ start, isBegun, next, onStep }: Course<S, R>): Promise<S | R> {
	let soFar = start;
	try {
		for (;;) {
			const step = await next(soFar);
			if (step === null) return soFar;
			if (isRefusal(step)) {
				if (!isBegun(soFar)) return step;
				throw new StepsInterrupted(soFar, step.message);
			}
			soFar = step;
			onStep?.(soFar);
		}
	} catch (error) {
		if (error instanceof StepsInterrupted || !isBegun(soFar)) throw error;
		throw new StepsInterrupted(soFar, messageOf(error), error);
	}
}

/** Retries a step, with a pause, while the engine is busy or the lot is locked. */
async function oneStep<A>(execute: () => Promise<A>): Promise<A> {
	for (let tries = 1; ; tries++) {
		const answer = await execute();
		if (!isRefusal(answer) || answer.refusal !== "rate_limited" || tries === MAX_TRIES) return answer;
		await wait(TRY_AGAIN_MS);
	}
}

/** The lots to recall: one lot, or a batch number in every pool but the sandbox's, of one formula or of all. */
export type RecallTarget =
	| { readonly fgId: string }
	| {
			readonly batchNumber: string;
			/** A formula's code; null: every formula. */
			readonly formula: string | null;
			/** A product's slug: only lots covered by its certificate of this batch. Absent: all. */
			readonly slug?: string;
	  };

/** The progress of a recall, in units. */
export interface RecalledLots {
	readonly fgIds: readonly string[];
	/** Moved into quarantine. */
	readonly moved: number;
	/** Of those: held or allocated before, and picked again from other lots. */
	readonly replaced: number;
	/** Of those: lost to their holds and orders. */
	readonly lost: number;
	/** Still bound to holds and orders that the recall has not reached. */
	readonly left: number;
}

/** The lots to recall; at least one. */
export async function findLotsToRecall(
	db: Query,
	target: RecallTarget,
): Promise<readonly string[] | Refusal<"not_found">> {
	const rows = await selectLotsToRecall(
		db,
		"fgId" in target
			? [target.fgId, null, null, null]
			: [null, target.batchNumber, target.formula, target.slug ?? null],
	);
	if (rows.length > 0) return rows.map(([fgId]) => fgId);
	if ("fgId" in target) return refuse("not_found", `There is no lot ${target.fgId}.`);
	const { batchNumber, formula } = target;
	const of = formula === null ? "" : ` of formula ${JSON.stringify(formula)}`;
	return noLotOfBatch(batchNumber, await selectLotsOfBatch(db, batchNumber), of);
}

/**
 * Recalls lots. The first step recalls all of them, so that no unit of any is promised from then on. Further steps take
 * units from holds and orders, in the order in which they get replacements (docs/decisions/0059). Lots of the batch
 * number that are added meanwhile are recalled, too. @throws StepsInterrupted
 */
export async function recallInSteps(
	db: Query,
	engine: Engine,
	{ target, ...command }: Pick<RecallCommand, "origin" | "reason"> & { readonly target: RecallTarget },
	onStep?: (soFar: RecalledLots) => void,
): Promise<RecalledLots | Refusal<"not_found" | "rate_limited" | "unauthorized">> {
	let holders: string[] = [];
	return await inSteps<RecalledLots, Refusal<"not_found" | "rate_limited" | "unauthorized">>({
		start: { fgIds: [], moved: 0, replaced: 0, lost: 0, left: 0 },
		isBegun: ({ fgIds }) => fgIds.length > 0,
		async next(soFar) {
			let { fgIds } = soFar;
			if (soFar.left === 0) {
				const found = await findLotsToRecall(db, target);
				if (isRefusal(found)) return found;
				if (found.every((fgId) => fgIds.includes(fgId))) return null;
				fgIds = found;
				holders = [];
			} else if (holders.length === 0) holders = await findHolders(db, fgIds);
			const named = holders.splice(0, HOLDERS_PER_STEP);
			const step = await oneStep(() => engine.execute({ kind: "recall", ...command, fgIds, holders: named }));
			return isRefusal(step) ? step : { fgIds, ...added(soFar, step), left: step.left };
		},
		onStep,
	});
}

/**
 * Quarantines or destroys units of a lot, even if they are held: free units first, then those of the youngest holds. To
 * take all units, the steps process holders in the order in which they get replacements. @throws StepsInterrupted
 */
export async function takeOutInSteps(
	db: Query,
	engine: Engine,
	command: Omit<TakeOutCommand, "holders">,
	onStep?: (soFar: TakenOut) => void,
): Promise<Moved | Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">> {
	const { fgId } = command;
	const isAll = command.units === "all";
	let holders: string[] | null = null; // null before the first step, which takes the free units
	const done = await inSteps<TakenOut, Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">>({
		start: { fgId, moved: 0, replaced: 0, lost: 0, left: 0 },
		isBegun: ({ moved }) => moved > 0,
		async next(soFar) {
			if (holders !== null && soFar.left === 0) return null;
			if (holders?.length === 0) holders = await findHolders(db, [fgId], isAll ? "given" : "lose");
			holders ??= [];
			const named = holders.splice(0, HOLDERS_PER_STEP);
			const units = soFar.moved > 0 && !isAll ? soFar.left : command.units;
			const step = await oneStep(() => engine.execute({ ...command, units, holders: named }));
			return isRefusal(step) ? step : { fgId, ...added(soFar, step), left: step.left };
		},
		onStep,
	});
	if (isRefusal(done)) return done;
	const { left: _none, ...moved } = done;
	return moved;
}

/**
 * Restores quarantined units of a lot: first to holds and orders that lost units of it and still lack them, oldest
 * first; the last step frees the rest. Usually there is one step; many holders take one step per HOLDERS_PER_STEP, and
 * the units for later ones stay in quarantine meanwhile. @throws StepsInterrupted
 */
export async function restoreInSteps(
	db: Query,
	engine: Engine,
	command: Pick<RestoreCommand, "origin" | "fgId" | "units" | "reason">,
	onStep?: (soFar: Restored) => void,
): Promise<Restored | Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">> {
	const holders = (await selectWhoLacks(db, [command.fgId])).map(([token]) => token);
	let first = 0;
	return await inSteps<Restored, Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">>({
		start: { fgId: command.fgId, moved: 0, replaced: 0, lost: 0, givenBack: 0, left: 0 },
		isBegun: ({ moved }) => moved > 0,
		async next(soFar) {
			if (first > 0 && (first >= holders.length || soFar.left === 0)) return null;
			const named = holders.slice(first, first + HOLDERS_PER_STEP);
			const units = first === 0 ? command.units : soFar.left;
			first += HOLDERS_PER_STEP;
			const rest = first >= holders.length ? "free" : "waits";
			const step = await oneStep(() => engine.execute({ kind: "restore", ...command, units, holders: named, rest }));
			if (isRefusal(step)) return step;
			return { ...step, moved: soFar.moved + step.moved, givenBack: soFar.givenBack + step.givenBack };
		},
		onStep,
	});
}

const added = (soFar: Omit<Moved, "fgId">, step: Omit<Moved, "fgId">): Omit<Moved, "fgId"> => ({
	moved: soFar.moved + step.moved,
	replaced: soFar.replaced + step.replaced,
	lost: soFar.lost + step.lost,
});

/** Holds picked again per step: their lots are locked for at most some tens of milliseconds. */
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
