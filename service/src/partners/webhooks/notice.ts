import { enqueue } from "../../ground/jobs/enqueue.ts";
import { newJob } from "../../ground/jobs/job.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NoticedEndpoint } from "./send-sql.ts";

/** The job that sends a mail (see jobs.ts). */
export const MAIL_NOTICE = "mail_notice";

/** Notices about an endpoint: it has failed for a day, or was deactivated, and why. */
export type NoticeKind = "warning" | "gone" | "failing";

export interface EndpointEnd {
	readonly endpointId: string;
	readonly url: string;
	readonly what: NoticeKind;
}

/** Queues a mail to the operator, if mails are sent; it is sent after the transaction has committed. */
export const noteEnd = async (tx: Query, { endpointId, what }: EndpointEnd, mails: boolean): Promise<void> =>
	mails ? await enqueue(tx, [newJob(MAIL_NOTICE, `${endpointId}:${what}`, { endpointId, what })]) : undefined;

/** Log messages. */
export const NOTICE_LINES: { readonly [K in NoticeKind]: string } = {
	warning: "a webhook endpoint has failed for a day: it will be deactivated",
	gone: "a webhook endpoint answered 410 and was deactivated",
	failing: "a webhook endpoint failed for 120 hours and was deactivated",
};

/** Only the host: the rest of the address may be a secret of the partner. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

/** The mail about an endpoint. Pure. */
export function noticeMail(what: NoticeKind, { partner, environment, endpointId, url, pending }: NoticedEndpoint) {
	const which = `endpoint ${endpointId} of ${partner} (${environment}) at ${hostOf(url)}`;
	const sentences: { readonly [K in NoticeKind]: string } = {
		warning: `Nothing that was sent to the webhook ${which} has arrived for a day. ${pending} events wait for it. After 120 hours of failures it is deactivated.`,
		gone: `The webhook ${which} answered 410, so it was deactivated. Events are still recorded.`,
		failing: `Nothing that was sent to the webhook ${which} has arrived for 120 hours, so it was deactivated. Events are still recorded.`,
	};
	const then = "When the partner has repaired it, make it active again and recover the events that were missed.";
	return {
		subject: `Holdfast: a webhook of ${partner.replace(/\s+/g, " ")} ${what === "warning" ? "fails" : "was deactivated"}`,
		text: `${sentences[what]}\n\n${then}\n`,
	};
}
