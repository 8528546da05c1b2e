import type { Task } from "../lib/task.ts";
import type { Database } from "../pg/connect.ts";
import { restockSandbox, type SandboxSettings } from "./restock-sandbox.ts";
import { isRestockDue } from "./sql.ts";

/** Milliseconds between looks whether a new day has begun. */
const LOOK_EVERY_MS = 60_000;

export interface SandboxTaskDeps {
	readonly db: Database;
	readonly sandbox: SandboxSettings;
}

export const SANDBOX_TASKS: readonly Task<SandboxTaskDeps>[] = [
	{
		// at once when it is due, then once a day; of several nodes, one does it
		name: "restock_sandbox",
		everyMs: LOOK_EVERY_MS,
		failure: "the restock of the sandbox failed",
		async run({ db, sandbox }) {
			if (await isRestockDue(db, sandbox.timeZone)) await restockSandbox(db, sandbox, { onlyIfDue: true });
		},
	},
];
