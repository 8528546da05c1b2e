import type { Executes } from "../../ground/engine/kind.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { HOLD_COMMANDS } from "../holds/commands.ts";
import type { TakenOut, TakeOutCommand } from "../holds/quarantine.ts";
import type { Moved } from "../stock/move.ts";
import { findHolders, HOLDERS_PER_STEP } from "./find-holders.ts";
import { oneStep } from "./one-step.ts";

/**
 * Part of the units was taken, and then it could not go on. What was taken stays taken; the same again takes the rest.
 */
export class TakeOutInterrupted extends Error {
	readonly soFar: TakenOut;
	constructor(soFar: TakenOut, why: string, cause?: unknown) {
		super(why, { cause });
		this.soFar = soFar;
	}
}

/**
 * Quarantines or destroys units of a lot, whoever holds them, in steps that each are a batch of their own: free units
 * first, then those of the youngest holds; when all are taken, the steps come to holders in the order in which they are
 * given others. Between steps partners are served. `onStep` is told after each how far it has come.
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
	const isAll = command.units === "all";
	try {
		for (;;) {
			const units = soFar.moved > 0 && !isAll ? soFar.left : command.units;
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
			if (holders.length === 0) holders = await findHolders(db, [command.fgId], isAll ? "given" : "lose");
		}
	} catch (error) {
		if (error instanceof TakeOutInterrupted || soFar.moved === 0) throw error;
		throw new TakeOutInterrupted(soFar, error instanceof Error ? error.message : String(error), error);
	}
	const { left: _none, ...moved } = soFar;
	return moved;
}
