import type { ProxyControl } from "../ground/proxy/proxies.ts";
import type { Fault, FaultContext } from "../ground/types.ts";
import { type Effect, inject, last, type Missed, pickNode, seconds } from "./inject.ts";

const SHORTEST_MS = 500;
const LONGEST_MS = 4_000;
const LEAST_BYTES = 1;
/** Maximum bytes before a cut: the middle of the first message, up to the middle of a long exchange. */
const MOST_BYTES = [200, 3_000, 40_000] as const;
const RANGE = 2 ** 31 - 1;

async function cut(context: FaultContext, proxy: ProxyControl, whose: string): Promise<Effect | Missed> {
	const { chance } = context;
	const ms = chance.between(SHORTEST_MS, LONGEST_MS);
	const mostBytes = chance.pick(MOST_BYTES);
	const seed = chance.between(0, RANGE);
	const before = await proxy.order({ kind: "cut", cuts: { seed, leastBytes: LEAST_BYTES, mostBytes } });
	await last(ms, context);
	const after = await proxy.order({ kind: "stop-cutting" });
	const count = after.cuts - before.cuts;
	if (count === 0) return { missed: `none of the ${whose} was cut in ${seconds(ms)}` };
	const what = `${count} ${whose} cut within ${mostBytes} bytes, for ${seconds(ms)}`;
	return { what, touched: "all" };
}

export const databaseCuts: Fault = {
	name: "database-cuts",
	says: "A node's connections to PostgreSQL are cut at random bytes, in either direction, new ones too.",
	longestMs: 20_000,
	inject: (context) =>
		inject("database-cuts", context, async () => {
			const node = pickNode(context);
			return await cut(context, node.plan.database, `database connections of ${node.name}`);
		}),
};

export const clientCuts: Fault = {
	name: "client-cuts",
	says: "Partners' connections to a node are cut at random bytes, in either direction, new ones too.",
	longestMs: 20_000,
	inject: (context) =>
		inject("client-cuts", context, async () => {
			const node = pickNode(context);
			return await cut(context, node.plan.clients, `connections of partners to ${node.name}`);
		}),
};
