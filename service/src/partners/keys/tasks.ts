import type { Task } from "../../ground/lib/task.ts";
import type { KeyCache } from "./key-cache.ts";
import type { SharedBudget } from "./shared-budget.ts";

/** Milliseconds between two reads of the keys: three fit into the maximum age of a read (FRESH_FOR_MS). */
const LOOK_EVERY_MS = 250;
/** Milliseconds between two exchanges of the nodes. */
const EXCHANGE_EVERY_MS = 250;

/** Reads the keys, unless a read is in progress. */
export const LOOK_AT_KEYS: Task<{ readonly keys: Pick<KeyCache, "keepFresh"> }> = {
	name: "poll_keys",
	everyMs: LOOK_EVERY_MS,
	failure: "the keys could not be read",
	run: ({ keys }) => keys.keepFresh(),
};

export const SHARE_BUDGETS: Task<{ readonly budget: Pick<SharedBudget, "exchange"> }> = {
	name: "share_budgets",
	everyMs: EXCHANGE_EVERY_MS,
	failure: "budgets could not be shared",
	run: ({ budget }) => budget.exchange(),
};

export const KEY_TASKS = [LOOK_AT_KEYS, SHARE_BUDGETS] as const;
