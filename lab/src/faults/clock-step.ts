import { setTimeout as sleep } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../ground/server-clock.ts";
import type { Fault } from "../ground/types.ts";
import { inject, last, seconds } from "./inject.ts";

const SHORTEST_MS = 500;
const LONGEST_MS = 4_000;
/** Maximum seconds by which the servers' clock is set ahead or back. */
const MOST_SECONDS = 45 * 60;
const MS = 1_000;

export const clockStep: Fault = {
	name: "clock-step",
	says: "The host of the database server is paused, and its clock jumps by up to 45 minutes and back a moment later; the nodes' own clocks stay right.",
	longestMs: 25_000,
	alone: true, // the records of other faults would have wrong times
	unavailable: ({ works }) =>
		works.clock === null ? "libfaketime is not installed, or the ground has no clock" : null,
	inject: (context) =>
		inject("clock-step", context, async () => {
			const { chance, ground } = context;
			const { clock } = ground.works;
			if (clock === null) throw new Error("clock-step is not available");
			// all processes are stopped while the clock is set, so that all of them see the step at the same moment
			const setAt = async (ahead: number): Promise<void> => {
				const thaw = ground.works.server.freeze();
				clock.set(ahead);
				await sleep(SEEN_WITHIN_MS);
				thaw();
			};
			const step = chance.between(1, MOST_SECONDS) * (chance.happens(0.5) ? 1 : -1);
			const ms = chance.between(SHORTEST_MS, LONGEST_MS);
			await setAt(step);
			try {
				await last(ms, context);
			} finally {
				await setAt(0);
			}
			const off = step * MS;
			return {
				what: `the clock of the server ${Math.abs(step)} s ${step < 0 ? "behind" : "ahead"} for ${seconds(ms)}`,
				touched: "all",
				clockOff: { least: Math.min(0, off), most: Math.max(0, off) },
			};
		}),
};
