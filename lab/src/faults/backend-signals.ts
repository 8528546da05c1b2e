import { withSession } from "../ground/one-session.ts";
import type { Fault, FaultContext } from "../ground/types.ts";
import { type Effect, inject, last, type Missed, pickNode, seconds } from "./inject.ts";

const SHORTEST_MS = 500;
const LONGEST_MS = 3_000;
/** Minimum milliseconds between two rounds. */
const LEAST_PAUSE_MS = 5;
const MOST_PAUSE_MS = 250;

/** Repeatedly calls `how` for a random half of a node's backends. */
async function repeat(
	context: FaultContext,
	how: "pg_terminate_backend" | "pg_cancel_backend",
): Promise<Effect | Missed> {
	const { chance, ground } = context;
	const node = pickNode(context);
	const ms = chance.between(SHORTEST_MS, LONGEST_MS);
	const latest = performance.now() + ms;
	let hit = 0;
	while (performance.now() < latest && !context.stopped.aborted) {
		const pids = (await ground.works.backendsOf(node)).map(({ pid }) => pid).filter(() => chance.happens(0.5));
		await withSession(ground.works.url, async (session) => {
			const { rows } = await session.query<{ hit: number }>(
				`select count(*) filter (where ${how}(pid))::int as hit from unnest($1::int[]) as pid`,
				[pids],
			);
			hit += rows[0]?.hit ?? 0;
		});
		await last(chance.between(LEAST_PAUSE_MS, MOST_PAUSE_MS), context);
	}
	if (hit === 0) return { missed: `${node.name} had no backend in ${seconds(ms)}` };
	return { what: `${how} on ${node.name} for ${seconds(ms)}, ${hit} times`, touched: "all" };
}

export const backendTerminate: Fault = {
	name: "backend-terminate",
	says: "The backends of a node are terminated again and again: an administrator, or a pooler that recycles.",
	longestMs: 20_000,
	inject: (context) => inject("backend-terminate", context, () => repeat(context, "pg_terminate_backend")),
};

export const backendCancel: Fault = {
	name: "backend-cancel",
	says: "The statements of a node are cancelled again and again: any of them may fail alone.",
	longestMs: 20_000,
	inject: (context) => inject("backend-cancel", context, () => repeat(context, "pg_cancel_backend")),
};
