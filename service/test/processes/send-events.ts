import { openWebhooks } from "../../src/assembly/webhooks.ts";
import { createLog } from "../../src/ground/lib/log.ts";
import { runTasks } from "../../src/ground/lib/run-tasks.ts";
import { openDatabase } from "../../src/ground/pg/connect.ts";
import { createMetrics } from "../../src/partners/http/metrics.ts";
import { parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { WEBHOOK_TASKS } from "../../src/partners/webhooks/tasks.ts";
import { Tally } from "../../src/upkeep/series/tally.ts";

/* A node that only sends events, for tests that kill it. Its only argument is JSON. */

export interface SendEventsSettings {
	readonly url: string;
	readonly ring: string;
	/** Milliseconds for one attempt. */
	readonly withinMs: number;
}

const { url, ring, withinMs } = JSON.parse(process.argv[2] ?? "") as SendEventsSettings;
const db = openDatabase(url, { max: 5, name: "sender", answerWithinMs: 15_000, indexPlansOnly: true });
const readDb = openDatabase(url, { max: 1, name: "sender reads", answerWithinMs: 2_500 });
const log = createLog("error");
const metrics = createMetrics();
const config = { webhookAllow: ["127.0.0.0/8"], mail: null, webhookRetentionDays: 30 };
const webhooks = openWebhooks(config, { db, ring: parseKeyRing(ring), log, metrics, tally: new Tally() }, { withinMs });
// more often than in a service, because tests wait for it
const due = WEBHOOK_TASKS.filter(({ name }) => name === "send_due_events").map((task) => ({ ...task, everyMs: 100 }));
const tasks = runTasks(due, { db, readDb, webhooks, config }, { log, counterOf: metrics.task });
const alive = setInterval(() => undefined, 60_000);
process.once("SIGTERM", () => {
	clearInterval(alive);
	void Promise.all([tasks.stop(), webhooks.stop()]).finally(() => process.exit(0));
});
console.log("sending");
