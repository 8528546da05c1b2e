import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { forgetChallenges } from "./passkey-sql.ts";
import { forgetSessions } from "./session-sql.ts";

/** Milliseconds between two deletions of old sessions and of unanswered challenges. */
const FORGET_EVERY_MS = 3_600_000;

const FORGET_SESSIONS: Task<{ readonly db: Database }> = {
	name: "forget_sessions",
	everyMs: FORGET_EVERY_MS,
	failure: "old sessions could not be deleted",
	run: async ({ db }) => {
		await forgetSessions(db);
		await forgetChallenges(db);
	},
};

export const PEOPLE_TASKS = [FORGET_SESSIONS] as const;
