/** Bugs of the dispatcher that sends webhooks. */
import type { Bug } from "./bug.ts";

const SENDER = "src/partners/webhooks/send-to-endpoint.ts";
const SEND_SQL = "src/partners/webhooks/send-sql.ts";

export const WEBHOOK_BUGS: readonly Bug[] = [
	{
		name: "delivered-before-the-post",
		says: "An event counts as delivered before it is posted, so a receiver that failed is never tried again.",
		edits: [
			{
				file: SENDER,
				find: "		const posted = await poster.post(",
				replace: `		const thanked = { outcome: { kind: "answered", status: 200, retryAfterMs: null }, durationMs: 0, error: null, excerpt: null } as const;
		const done = { delivery: { to: "delivered" }, deactivate: null, warn: false } as const;
		await this.#record([{ ...due, url, posted: thanked, verdict: done, endedAt: monotonicMs() }]);
		const posted = await poster.post(`,
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "a-dead-sender-keeps-its-endpoint",
		says: "A lease never expires: endpoints that a killed node was sending to keep that node as their sender for ever.",
		edits: [
			{
				file: SEND_SQL,
				find: "const IS_FREE = `(sending_until is null or sending_until < clock_timestamp()",
				replace: "const IS_FREE = `(sending_until is null or false",
			},
		],
		faults: ["service-kill"],
		minutes: 1,
	},
	{
		name: "another-body-at-a-retry",
		says: "The body of a retry is built again and differs from the recorded one.",
		edits: [
			{
				file: SENDER,
				find: "const { eventId, body, failures } = due;",
				replace: `const { eventId, failures } = due;
		const body = failures === 0 ? due.body : JSON.stringify({ ...JSON.parse(due.body), attempt: failures + 1 });`,
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "told-to-every-partner",
		says: "An event is sent to the endpoints of every partner.",
		edits: [
			{
				file: "src/partners/webhooks/record-sql.ts",
				find: "on w.partner_id = e.partner_id and w.environment = e.environment and",
				replace: "on w.environment = e.environment and",
			},
		],
		faults: [],
		minutes: 1,
	},
	{
		name: "gone-is-a-failure",
		says: "A receiver that answers 410 is tried again, like one that failed.",
		edits: [{ file: "src/partners/webhooks/policy.ts", find: "const GONE = 410;", replace: "const GONE = 0;" }],
		faults: [],
		minutes: 0.5,
	},
];
