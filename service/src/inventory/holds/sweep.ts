import type { Executes } from "../../ground/engine/kind.ts";
import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { HOLD_COMMANDS } from "./commands.ts";
import { forgetMarkAhead, noteSwept, selectDueTokens } from "./sql.ts";

/**
 * Milliseconds between updates of the mark, which read all active holds by their end. Other sweeps start at the mark,
 * so if the clock jumps back and forth between two sweeps, a hold can stay hidden for this long.
 */
const MARK_EVERY_MS = 10_000;
/** Maximum number of holds ended in one batch. */
const SWEEP_BATCH = 200;
/** Milliseconds that a sweep waits for the engine before it continues with other holds. */
const WAIT_FOR_ENGINE_MS = 1_000;
/** Maximum number of the sweep's holds that wait in the engine. */
const MOST_UNDER_WAY = 2_000;

/** Ends overdue holds, batch after batch, until none is left or the signal is aborted. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Creates the sweep, which ends overdue holds even without traffic. Counts do not depend on it: they check the time
 * themselves. `reads` has index-friendly planner settings; `db` is written to.
 */
export function createSweep(
	{ reads, db }: { readonly reads: Query; readonly db: Query },
	engine: Executes<typeof HOLD_COMMANDS>,
): Sweep {
	let markDueAt = 0;
	const underWay = new Set<string>();
	const keepMark = async (): Promise<void> => {
		await forgetMarkAhead(db, []);
		if (monotonicMs() < markDueAt) return;
		await noteSwept(db, []);
		markDueAt = monotonicMs() + MARK_EVERY_MS;
	};
	return async (signal) => {
		while (!signal.aborted) {
			if ((await sweepOnce(reads, engine, underWay, signal)) === SWEEP_BATCH) continue; // more may be due
			await keepMark();
			return;
		}
	};
}

/**
 * Ends up to one batch of overdue holds, waiting briefly for the engine. Returns how many were ended. Holds for which
 * the engine was too busy are due again; holds whose lots are locked stay in `underWay`, so that they do not delay
 * others.
 */
export async function sweepOnce(
	db: Query,
	engine: Executes<typeof HOLD_COMMANDS>,
	underWay: Set<string> = new Set(),
	signal?: AbortSignal,
): Promise<number> {
	if (underWay.size >= MOST_UNDER_WAY) return 0;
	const due = await selectDueTokens(db, [SWEEP_BATCH, plainArray([...underWay])]);
	const origin = { actor: "system:expiry", requestId: null };
	let ended = 0;
	const expire = async (token: string): Promise<void> => {
		underWay.add(token);
		try {
			const answer = await engine.execute({ kind: "expire", origin, token });
			if (!isRefusal(answer) && answer.expired) ended++;
		} finally {
			underWay.delete(token);
		}
	};
	await Promise.race([Promise.all(due.map(([token]) => expire(token))), sleep(WAIT_FOR_ENGINE_MS, signal)]);
	return ended;
}
