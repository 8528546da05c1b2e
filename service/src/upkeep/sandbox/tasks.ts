import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { type AdvanceDeps, advanceDueBoxes } from "./advance-due-boxes.ts";
import { restockDueSandboxes } from "./restock-due-sandboxes.ts";
import type { SandboxSettings } from "./restock-sandbox.ts";

/** Milliseconds between checks for a new day. */
const LOOK_EVERY_MS = 60_000;

/** Milliseconds between polls for due orders of the sandbox. */
const ADVANCE_EVERY_MS = 1_000;

export interface SandboxTaskDeps {
	readonly db: Database;
	readonly sandbox: SandboxSettings;
}

/** Restocks each sandbox at once if it is due, then once a day, on one of the nodes. */
export const RESTOCK_DAILY: Task<SandboxTaskDeps> = {
	name: "restock_sandbox",
	everyMs: LOOK_EVERY_MS,
	failure: "the restock of a sandbox failed",
	run: ({ db, sandbox }) => restockDueSandboxes(db, sandbox),
};

/** Picks, ships and holds the orders of the sandbox, as a warehouse would. */
export const ADVANCE_ORDERS: Task<AdvanceDeps> = {
	name: "advance_sandbox_orders",
	everyMs: ADVANCE_EVERY_MS,
	failure: "orders of the sandbox could not be moved on",
	run: advanceDueBoxes,
};

export const SANDBOX_TASKS: readonly Task<SandboxTaskDeps & AdvanceDeps>[] = [RESTOCK_DAILY, ADVANCE_ORDERS];
