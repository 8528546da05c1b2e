import { type Job, textOf } from "../../ground/jobs/job.ts";
import { type MailDeps, mailNotice } from "./mail-notice.ts";
import { MAIL_NOTICE, type NoticeKind } from "./notice.ts";

const MINUTE_MS = 60_000;

/** Mails to the operator; without a mail server none are sent. */
export const WEBHOOK_JOBS: readonly Job<MailDeps>[] = [
	{
		name: MAIL_NOTICE,
		failure: "a mail about a webhook endpoint could not be sent",
		withinMs: MINUTE_MS,
		delaysMs: [MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS],
		run: (payload, deps) => mailNotice(deps, textOf(payload, "endpointId"), textOf(payload, "what") as NoticeKind),
	},
];
