import type { Executes } from "../../ground/engine/kind.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { HOLD_COMMANDS } from "../holds/commands.ts";
import type { RecallCommand } from "../holds/recall.ts";
import { findHolders, HOLDERS_PER_STEP } from "./find-holders.ts";
import { oneStep } from "./one-step.ts";
import { selectLotsToRecall } from "./recall-lots-sql.ts";

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

/**
 * The lots are recalled, and then it could not go on: some holds and orders are not picked again yet. The same again
 * takes the rest.
 */
export class RecallInterrupted extends Error {
	readonly soFar: RecalledLots;
	constructor(soFar: RecalledLots, why: string, cause?: unknown) {
		super(why, { cause });
		this.soFar = soFar;
	}
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
	return refuse("not_found", `There is no lot with batch number ${JSON.stringify(batchNumber)}${of}.`);
}

/**
 * Recalls lots: in the first batch all of them, so that no unit of any is promised from then on; then, in batches of
 * their own, the units that holds and orders have, in the order in which they are given others (docs/decisions/0059).
 * Between them partners are served (docs/decisions/0023). A lot of the batch number that came meanwhile is recalled
 * too. `onStep` is told after each batch how far it has come. @throws RecallInterrupted
 */
export async function recallLots(
	db: Query,
	engine: Executes<Pick<typeof HOLD_COMMANDS, "recall">>,
	{ target, ...command }: Pick<RecallCommand, "origin" | "reason"> & { readonly target: RecallTarget },
	onStep: (soFar: RecalledLots) => void = () => undefined,
): Promise<RecalledLots | Refusal<"not_found" | "rate_limited" | "unauthorized">> {
	let soFar: RecalledLots = { fgIds: [], moved: 0, replaced: 0, lost: 0, left: 0 };
	let begun = false;
	try {
		for (;;) {
			const fgIds = await findLotsToRecall(db, target);
			if (isRefusal(fgIds)) return fgIds;
			const known = new Set(soFar.fgIds);
			if (fgIds.every((fgId) => known.has(fgId))) return soFar;
			let holders: string[] = [];
			do {
				const named = holders.splice(0, HOLDERS_PER_STEP);
				const step = await oneStep(() => engine.execute({ kind: "recall", ...command, fgIds, holders: named }));
				if (isRefusal(step)) {
					if (!begun) return step;
					throw new RecallInterrupted(soFar, step.message);
				}
				begun = true;
				soFar = {
					fgIds,
					moved: soFar.moved + step.moved,
					replaced: soFar.replaced + step.replaced,
					lost: soFar.lost + step.lost,
					left: step.left,
				};
				onStep(soFar);
				if (soFar.left > 0 && holders.length === 0) holders = await findHolders(db, fgIds);
			} while (soFar.left > 0);
		}
	} catch (error) {
		if (error instanceof RecallInterrupted || !begun) throw error;
		throw new RecallInterrupted(soFar, error instanceof Error ? error.message : String(error), error);
	}
}
