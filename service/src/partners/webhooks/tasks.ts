import type { SendingFigures } from "../../ground/lib/sending-figures.ts";
import type { Task } from "../../ground/lib/task.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { forgetOldEvents } from "./forget-old-events.ts";
import { selectDueEndpoints, selectFigures } from "./send-sql.ts";

/** Milliseconds between two polls for due deliveries: the longest delay of an attempt. */
const DUE_EVERY_MS = 250;
/** Milliseconds between two counts, for the metrics. */
const COUNT_EVERY_MS = 15_000;
/** Milliseconds between two deletions of old events. */
const FORGET_EVERY_MS = 60_000;

interface WebhookTaskDeps {
	readonly db: Database;
	readonly readDb: Query;
	readonly webhooks: { readonly dispatcher: Dispatcher; readonly note: (figures: SendingFigures) => void };
	readonly config: { readonly webhookRetentionDays: number };
}

export const WEBHOOK_TASKS: readonly Task<WebhookTaskDeps>[] = [
	{
		name: "send_due_events",
		everyMs: DUE_EVERY_MS,
		failure: "webhook endpoints with due deliveries could not be read",
		run: async ({ readDb, webhooks }) => {
			for (const [endpointId] of await selectDueEndpoints(readDb, [])) webhooks.dispatcher.wake(endpointId);
		},
	},
	{
		name: "count_deliveries",
		everyMs: COUNT_EVERY_MS,
		failure: "webhook deliveries could not be counted",
		run: async ({ db, webhooks }) => {
			const [row] = await selectFigures(db, []);
			if (row === undefined) return;
			const [pending, due, oldestSeconds, lateSeconds, deactivated, failing] = row;
			webhooks.note({ pending, due, oldestSeconds, lateSeconds, deactivated, failing });
		},
	},
	{
		name: "forget_old_events",
		everyMs: FORGET_EVERY_MS,
		failure: "old events could not be deleted",
		run: ({ db, config }, signal) => forgetOldEvents(db, config.webhookRetentionDays, signal),
	},
];
