import type { Job, JobPayload } from "../../ground/jobs/job.ts";
import { assert } from "../../ground/lib/assert.ts";
import type { Courier } from "./courier.ts";
import { MAIL_NOTICE, SEND_EVENTS } from "./job-names.ts";
import { type MailDeps, mailNotice, type SendMail } from "./mail-notice.ts";
import type { NoticeKind } from "./notice.ts";

export interface WebhookJobDeps {
	readonly db: MailDeps["db"];
	readonly courier: Pick<Courier, "wake">;
	/** Null: no mails are sent. */
	readonly mail: SendMail | null;
}

const MINUTE_MS = 60_000;

export const WEBHOOK_JOBS: readonly Job<WebhookJobDeps>[] = [
	{
		...SEND_EVENTS,
		failure: "an endpoint was not told that there is something to send",
		withinMs: 5_000,
		delaysMs: [1_000],
		// only rings the bell: what is due stands in the deliveries, and is looked for each second, whatever becomes of
		// this job
		run: (payload, { courier }) => {
			courier.wake(text(payload, "endpointId"));
			return Promise.resolve(undefined);
		},
	},
	{
		...MAIL_NOTICE,
		failure: "the operator was not told of a webhook endpoint by mail",
		withinMs: 60_000,
		delaysMs: [MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS],
		run: (payload, deps) => mailNotice(deps, text(payload, "endpointId"), text(payload, "what") as NoticeKind),
	},
];

function text(payload: JobPayload, name: string): string {
	const value = payload[name];
	assert(typeof value === "string", `the job's ${name} is a text`);
	return value;
}
