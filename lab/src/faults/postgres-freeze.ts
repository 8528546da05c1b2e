import type { Fault } from "../ground/types.ts";
import { inject, last, seconds } from "./inject.ts";

const SHORTEST_MS = 500;
const LONGEST_MS = 6_000;

export const postgresFreeze: Fault = {
	name: "postgres-freeze",
	says: "SIGSTOP of PostgreSQL with all its processes for seconds, then SIGCONT: a host that was paused, a disk that hangs.",
	longestMs: 25_000,
	alone: true,
	inject: (context) =>
		inject("postgres-freeze", context, async () => {
			const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
			const thaw = context.ground.works.server.freeze();
			await last(ms, context);
			thaw();
			return { what: `PostgreSQL frozen for ${seconds(ms)}`, touched: "all" };
		}),
};
