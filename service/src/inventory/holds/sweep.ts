import type { Executes } from "../../ground/engine/kind.ts";
import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { HOLD_COMMANDS } from "./commands.ts";
import { forgetMarkAhead, noteSwept, selectDueTokens } from "./sql.ts";

/**
 * Milliseconds between looks through all holds that may be due, from the first on. Every other look begins where the
 * last of these found the first active hold; a clock that stepped back and forth between two sweeps can hide a hold
 * from those for so long.
 */
const MARK_EVERY_MS = 10_000;
/** Holds ended in one go. */
const SWEEP_BATCH = 200;
/** Milliseconds that a sweep waits for the engine before it goes on with other holds. */
const WAIT_FOR_ENGINE_MS = 1_000;
/** Holds that wait in the engine at most. */
const MOST_UNDER_WAY = 2_000;

/** Ends the holds whose time is over, batch after batch, until none is left or the signal is aborted. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Overdue holds are ended also when no traffic comes. Counts never wait for it: they see the time themselves. `reads`
 * has plans by index; `db` is written to.
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
 * Ends up to a batch of overdue holds, and waits a moment for it. Returns how many were ended: those that the engine
 * was too busy to take are due again, and those whose lots somebody keeps locked stay `underWay`, so that they keep no
 * others waiting.
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
