import type { AfterSilence, Direction } from "../ground/proxy/messages.ts";
import type { Fault } from "../ground/types.ts";
import { inject, last, pickNode, seconds } from "./inject.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 9_000;
const DIRECTIONS: readonly (readonly Direction[])[] = [["up", "down"], ["up"], ["down"]];
const AFTERWARDS: readonly AfterSilence[] = ["late", "lost"];
/** Milliseconds to wait for a COMMIT that can be held back. */
const COMMIT_WITHIN_MS = 3_000;

export const databaseSilence: Fault = {
	name: "database-silence",
	says: "A node's open connections to PostgreSQL stay open and pass nothing for seconds; new ones may work. Then the held bytes arrive late, or never.",
	longestMs: 30_000,
	inject: (context) =>
		inject("database-silence", context, async () => {
			const { chance } = context;
			const node = pickNode(context);
			const directions = chance.pick(DIRECTIONS);
			const newToo = chance.happens(0.3);
			const after = chance.pick(AFTERWARDS);
			const ms = chance.between(SHORTEST_MS, LONGEST_MS);
			await node.plan.database.order({ kind: "silence", directions, newToo });
			await last(ms, context);
			await node.plan.database.order({ kind: "heal", after });
			const which = newToo ? "open and new" : "open";
			const what = `${which} database connections of ${node.name} silent (${directions.join(" and ")}) for ${seconds(ms)}, then ${after}`;
			return { what, touched: "all" };
		}),
};

export const nodeVanishes: Fault = {
	name: "node-vanishes",
	says: "In the middle of a batch, while a COMMIT is on its way, a node's bytes stop reaching PostgreSQL and no connection closes: its host, or its network, is gone.",
	longestMs: 35_000,
	inject: (context) =>
		inject("node-vanishes", context, async () => {
			const { chance } = context;
			const node = pickNode(context);
			const ms = chance.between(SHORTEST_MS, LONGEST_MS);
			const after = chance.pick(AFTERWARDS);
			const { database } = node.plan;
			const vanished = database.order({ kind: "silence-at-commit" });
			await Promise.race([vanished, last(COMMIT_WITHIN_MS, context)]);
			const { vanished: happened } = await database.order({ kind: "forget-commit" });
			if (!happened) return { missed: `${node.name} committed nothing in ${seconds(COMMIT_WITHIN_MS)}` };
			await last(ms, context);
			await database.order({ kind: "heal", after });
			return {
				what: `${node.name} vanished before a COMMIT arrived, for ${seconds(ms)}, then ${after}`,
				touched: "all",
			};
		}),
};
