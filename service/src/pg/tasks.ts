import type { Task } from "../lib/task.ts";
import type { Query } from "./connect.ts";
import { forgetOldEvidence } from "./evidence.ts";

/** Milliseconds between two removals of old evidence. */
const FORGET_EVERY_MS = 60 * 60 * 1_000;

export const PG_TASKS: readonly Task<{ readonly db: Query }>[] = [
	{
		name: "forget_old_evidence",
		everyMs: FORGET_EVERY_MS,
		failure: "old evidence of commits was not removed",
		run: ({ db }) => forgetOldEvidence(db),
	},
];
