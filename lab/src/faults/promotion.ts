import type { Fault } from "../ground/types.ts";
import { inject, last, seconds } from "./inject.ts";

/** Minimum milliseconds of work with synchronous replication before the primary is killed. */
const SHORTEST_MS = 300;
const LONGEST_MS = 2_000;

export const promotion: Fault = {
	name: "promotion",
	says: "A synchronous standby is built; then the primary dies and the standby is promoted, and connections are directed to it.",
	longestMs: 45_000,
	needsStandby: true,
	alone: true,
	unavailable: ({ works }) => (works.canPromote ? null : "the ground was opened without a standby"),
	inject: (context) =>
		inject("promotion", context, async () => {
			const { works } = context.ground;
			const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
			await works.attachStandby();
			await last(ms, context);
			const from = works.server.plan.name;
			await works.failOver();
			return {
				what: `${from} died after ${seconds(ms)} beside a synchronous standby; ${works.server.plan.name} was promoted`,
				touched: "all",
			};
		}),
};
