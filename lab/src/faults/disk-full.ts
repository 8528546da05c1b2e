import type { Fault } from "../ground/types.ts";
import { inject, last, seconds } from "./inject.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 5_000;
/** Bytes left on the disk: none, or a few, so that it fills up during a write. */
const LEFT_BYTES = [0, 0, 65_536, 1_048_576, 16_777_216] as const;

export const diskFull: Fault = {
	name: "disk-full",
	says: "The disk of PostgreSQL is filled for seconds: tables cannot grow, or the log cannot and the server panics.",
	longestMs: 40_000,
	alone: true,
	unavailable: ({ works }) => (typeof works.disk === "string" ? works.disk : null),
	inject: (context) =>
		inject("disk-full", context, async () => {
			const { disk } = context.ground.works;
			if (typeof disk === "string") throw new Error(`disk-full is not available: ${disk}`);
			const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
			const left = context.chance.pick(LEFT_BYTES);
			try {
				await disk.fill(left);
				await last(ms, context);
			} finally {
				await disk.clear();
			}
			return { what: `the disk full except for ${left} bytes, for ${seconds(ms)}`, touched: "all" };
		}),
};
