import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { clearDueLogs } from "./clear-log.ts";
import { eraseDueOrders } from "./erase-orders.ts";
import { ERASE_EVERY_MS } from "./limits.ts";

interface CustomerTaskDeps {
	readonly db: Database;
	readonly config: {
		/** Days from the end of an order; 0: customers are erased only if an operator asks for it. */
		readonly customerDataDays: number;
	};
}

export const CUSTOMER_TASKS: readonly Task<CustomerTaskDeps>[] = [
	{
		name: "erase_customers",
		everyMs: ERASE_EVERY_MS,
		failure: "customers' data could not be erased",
		run: async ({ db, config: { customerDataDays } }, signal) => {
			await eraseDueOrders(db, customerDataDays, signal);
			await clearDueLogs(db, signal);
		},
	},
];
