import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { forgetReplies } from "./reply-sql.ts";

/** Milliseconds between two deletions of old replies. */
const FORGET_EVERY_MS = 600_000;

const FORGET_REPLIES: Task<{ readonly db: Database }> = {
	name: "forget_operator_replies",
	everyMs: FORGET_EVERY_MS,
	failure: "replies of operators could not be deleted",
	run: ({ db }) => forgetReplies(db),
};

export const ADMIN_TASKS = [FORGET_REPLIES] as const;
