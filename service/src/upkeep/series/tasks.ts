import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { deleteOldPoints } from "./sql.ts";
import type { Tally } from "./tally.ts";
import { writeSeries, writeStates } from "./write-series.ts";

/** Milliseconds between two writes of this node's counts, of the states, and between two deletions of old points. */
const COUNT_EVERY_MS = 10_000;
const SAMPLE_EVERY_MS = 60_000;
const DELETE_EVERY_MS = 3_600_000;

export interface SeriesTaskDeps {
	readonly db: Database;
	readonly config: { readonly timeZone: string };
	readonly tally: Tally;
}

export const SERIES_TASKS: readonly Task<SeriesTaskDeps>[] = [
	{
		name: "write_series",
		everyMs: COUNT_EVERY_MS,
		failure: "figures over time could not be written",
		run: ({ db, tally }) => writeSeries(db, tally),
	},
	{
		name: "sample_states",
		everyMs: SAMPLE_EVERY_MS,
		failure: "orders and units could not be sampled for figures over time",
		run: ({ db, config }) => writeStates(db, config.timeZone),
	},
	{
		name: "delete_old_points",
		everyMs: DELETE_EVERY_MS,
		failure: "old figures over time could not be deleted",
		run: ({ db }) => deleteOldPoints(db),
	},
];
