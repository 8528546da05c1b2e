import type { Task } from "../../ground/lib/task.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { digestHistory } from "./digest-history.ts";

/** Milliseconds between two runs that digest old rows. */
const DIGEST_EVERY_MS = 600_000;

export const LEDGER_TASKS: readonly Task<{ readonly db: Query }>[] = [
	{
		name: "digest_history",
		everyMs: DIGEST_EVERY_MS,
		failure: "the digests of the history could not be created",
		run: ({ db }, signal) => digestHistory(db, signal),
	},
];
