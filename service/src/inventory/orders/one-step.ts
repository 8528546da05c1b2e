import { wait } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";

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
