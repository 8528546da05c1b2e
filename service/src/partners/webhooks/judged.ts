import type { Verdict } from "./policy.ts";
import type { Posted } from "./post.ts";
import type { AttemptRow, EndpointNews } from "./send-sql.ts";

/** An attempt as it is counted: its endpoint, the delivery's resulting status, and the duration of the post. */
export interface CountedAttempt {
	readonly endpointId: string;
	readonly to: AttemptRow["to"];
	readonly ms: number;
}

export interface Due {
	readonly seq: number;
	readonly eventId: string;
	readonly failures: number;
	readonly body: string;
}

/** An attempt at a due delivery, and the verdict on it. */
export interface Judged extends Due {
	/** The endpoint's address at that time. */
	readonly url: string;
	readonly posted: Posted;
	readonly verdict: Verdict;
	/** Monotonic milliseconds. */
	readonly endedAt: number;
}

/** The rows of attempts, in the order in which the attempts ended, and their effect on the endpoint. */
export function writtenOf(
	judged: readonly Judged[],
	now: number,
): { readonly rows: AttemptRow[] } & Omit<EndpointNews, "warn"> {
	const lastSuccess = judged.findLastIndex(({ verdict }) => verdict.delivery.to === "delivered");
	const failed = judged[lastSuccess + 1];
	return {
		rows: judged.map((one) => rowOf(one, now)),
		succeeded: lastSuccess >= 0,
		failedAgoMs: failed === undefined ? null : now - failed.endedAt,
	};
}

const rowOf = ({ seq, failures, posted, verdict: { delivery }, endedAt }: Judged, now: number): AttemptRow => ({
	seq,
	to: delivery.to,
	afterMs: delivery.to === "pending" ? delivery.afterMs : 0,
	failures: delivery.to === "delivered" ? failures : failures + 1,
	endedAgoMs: now - endedAt,
	durationMs: posted.durationMs,
	status: posted.outcome.kind === "answered" ? posted.outcome.status : null,
	error: posted.error,
	excerpt: posted.excerpt,
});
