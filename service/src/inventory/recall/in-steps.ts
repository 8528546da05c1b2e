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

/*
 * How operators reach the commands of this room: in steps that each are a batch of their own. Between steps partners
 * are
 * served (docs/decisions/0023).
 */

type Engine = Executes<typeof RECALL_COMMANDS>;

/** Times in a row that a step is tried again when the engine is busy or somebody else has the lot. */
const MAX_TRIES = 5;
/** Milliseconds between those tries. */
const TRY_AGAIN_MS = 1_000;

/** Some steps were done, and then it could not go on. What was done stays; the same command again does the rest. */
export class StepsInterrupted<S> extends Error {
	readonly soFar: S;
	constructor(soFar: S, why: string, cause?: unknown) {
		super(why, { cause });
		this.soFar = soFar;
	}
}

interface Course<S, R extends Refusal> {
	readonly start: S;
	/** Has anything been done that stays? */
	isBegun(soFar: S): boolean;
	/** Executes the next step, and returns how far it has come; null: all is done. */
	next(soFar: S): Promise<S | R | null>;
	/** Called after each step. */
	readonly onStep: ((soFar: S) => void) | undefined;
}

/** Runs steps until all is done. A refusal or error before anything was done is passed on. @throws StepsInterrupted */
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

/** A step that finds the engine busy, or the lot in somebody else's hands, is tried again after a pause. */
async function oneStep<A>(execute: () => Promise<A>): Promise<A> {
	for (let tries = 1; ; tries++) {
		const answer = await execute();
		if (!isRefusal(answer) || answer.refusal !== "rate_limited" || tries === MAX_TRIES) return answer;
		await wait(TRY_AGAIN_MS);
	}
}

/**
 * What is to be recalled: one lot, or a batch number in every pool but the sandbox's; of one formula, or of all that
 * have it.
 */
export type RecallTarget =
	| { readonly fgId: string }
	| {
			readonly batchNumber: string;
			/** A formula's code; null: every formula. */
			readonly formula: string | null;
			/** A product's slug: only lots that its certificate of this batch speaks of. Absent: all. */
			readonly slug?: string;
	  };

/** How far a recall has come. Units. */
export interface RecalledLots {
	readonly fgIds: readonly string[];
	/** Went into quarantine. */
	readonly moved: number;
	/** Of the held or allocated ones among them: picked again from other lots. */
	readonly replaced: number;
	/** Of those: lost to their holds and orders. */
	readonly lost: number;
	/** Still bound to holds and orders that it has not come to. */
	readonly left: number;
}

/** The lots of a recall, at least one. */
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
 * Recalls lots: in the first step all of them, so that no unit of any is promised from then on; then the units that
 * holds and orders have, in the order in which they are given others (docs/decisions/0059). A lot of the batch number
 * that came meanwhile is recalled too. @throws StepsInterrupted
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
 * Quarantines or destroys units of a lot, whoever holds them: free units first, then those of the youngest holds; when
 * all are taken, the steps come to holders in the order in which they are given others. @throws StepsInterrupted
 */
export async function takeOutInSteps(
	db: Query,
	engine: Engine,
	command: Omit<TakeOutCommand, "holders">,
	onStep?: (soFar: TakenOut) => void,
): Promise<Moved | Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">> {
	const { fgId } = command;
	const isAll = command.units === "all";
	let holders: string[] | null = null; // before the first step, which takes the free units
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
 * Gives quarantined units of a lot back: first to the holds and orders that lost theirs to it and still lack them, the
 * oldest first, and with the last of these the rest to everybody. Nearly always that is one step; where very many lack
 * units it is one for each HOLDERS_PER_STEP of them, and what waits for the later ones stays in quarantine until then.
 * @throws StepsInterrupted
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

/** What was moved by all steps together. */
const added = (soFar: Omit<Moved, "fgId">, step: Omit<Moved, "fgId">): Omit<Moved, "fgId"> => ({
	moved: soFar.moved + step.moved,
	replaced: soFar.replaced + step.replaced,
	lost: soFar.lost + step.lost,
});

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
