import type { StockEngine } from "../../../service/src/assembly/engine.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import type { Refusal } from "../../../service/src/ground/lib/refusal.ts";
import { type Context, granted } from "../offline/context.ts";

/** Progress, in units. */
interface SoFar {
	readonly moved: number;
	readonly left: number;
}

interface Shown<S> {
	/** Title of the progress bar; null: no bar. */
	readonly title: string | null;
	/** What was done and what is left, for an interruption. */
	describe(soFar: S): string;
}

/** Runs work in steps, shows its progress, and reports the remaining work if it is interrupted. */
export async function withSteps<S extends SoFar, A>(
	{ withEngine, onInterrupt }: Context,
	{ title, describe }: Shown<S>,
	work: (engine: StockEngine, onStep: (soFar: S) => void) => Promise<A>,
): Promise<Exclude<A, Refusal>> {
	const { StepsInterrupted } = await import("../../../service/src/inventory/recall/in-steps.ts");
	const { createProgress } = await import("../terminal/progress.ts");
	const progress = title === null ? null : await createProgress();
	let soFar: S | null = null;
	onInterrupt(() => (soFar === null ? null : describe(soFar)));
	const onStep = (step: S): void => {
		if (soFar === null) progress?.stage(title ?? "", step.moved + step.left);
		progress?.advance(step.moved - (soFar?.moved ?? 0));
		soFar = step;
	};
	try {
		return await withEngine(async (engine) => granted(await work(engine, onStep)));
	} catch (error) {
		if (!(error instanceof StepsInterrupted)) throw error;
		throw new OperatorError(`${error.message}\n${describe(error.soFar as S)}`, { cause: error });
	} finally {
		progress?.end();
	}
}
