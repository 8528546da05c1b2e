import type { ProxyControl } from "../ground/proxy/proxies.ts";
import type { Fault, FaultContext } from "../ground/types.ts";
import { type Effect, inject, last, pickNode, seconds } from "./inject.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 5_000;
const LEAST_DELAY_MS = 1;
const MOST_DELAY_MS = 80;
/** Maximum bytes of a piece: a trickle, or whole messages that are late. */
const PIECES = [400, 4_000, 65_536] as const;

async function slowDown(context: FaultContext, proxy: ProxyControl, whose: string): Promise<Effect> {
	const { chance } = context;
	const ms = chance.between(SHORTEST_MS, LONGEST_MS);
	const slow = { delayMs: chance.between(LEAST_DELAY_MS, MOST_DELAY_MS), pieceBytes: chance.pick(PIECES) };
	await proxy.order({ kind: "slow", slow });
	await last(ms, context);
	await proxy.order({ kind: "heal", after: "late" });
	const what = `${whose} slow, ${slow.pieceBytes} bytes every ${slow.delayMs} ms, for ${seconds(ms)}`;
	return { what, touched: "all" };
}

export const databaseSlow: Fault = {
	name: "database-slow",
	says: "A node's connections to PostgreSQL pass their bytes late and in pieces.",
	longestMs: 25_000,
	inject: (context) =>
		inject("database-slow", context, async () => {
			const node = pickNode(context);
			return await slowDown(context, node.plan.database, `database connections of ${node.name}`);
		}),
};

export const clientSlow: Fault = {
	name: "client-slow",
	says: "Partners' connections to a node pass their bytes late and in pieces.",
	longestMs: 25_000,
	inject: (context) =>
		inject("client-slow", context, async () => {
			const node = pickNode(context);
			return await slowDown(context, node.plan.clients, `connections of partners to ${node.name}`);
		}),
};
