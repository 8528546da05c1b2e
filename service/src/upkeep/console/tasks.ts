import type { Task } from "../../ground/lib/task.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { deleteOldChanges } from "./changes-sql.ts";
import { FORGET_EVERY_MS, KEPT_NUMBERS } from "./limits.ts";

export const CONSOLE_TASKS: readonly Task<{ readonly db: Query }>[] = [
	{
		name: "forget_old_changes",
		everyMs: FORGET_EVERY_MS,
		failure: "notes of old changes could not be deleted",
		run: async ({ db }) => void (await deleteOldChanges(db, KEPT_NUMBERS)),
	},
];
