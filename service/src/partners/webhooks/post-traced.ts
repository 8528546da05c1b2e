import { monotonicMs } from "../../ground/lib/clock.ts";
import { writeTraceParent } from "../../ground/lib/trace-parent.ts";
import type { Traces } from "../../ground/lib/traces.ts";
import type { Poster } from "./post.ts";

/** A receiver accepted the event if its status is below this one. */
const FIRST_REFUSAL = 300;

/**
 * A poster whose attempts are traced: each is a span in the trace of the request that caused its event, where this node
 * carried that request out recently, otherwise in its own trace. The receiver gets it as `traceparent`.
 */
export const postTraced = (poster: Poster, traces: Traces): Poster => ({
	...poster,
	async post(post, stopping) {
		const eventId = post.headers["webhook-id"] ?? "";
		const span = traces.continue(eventId);
		if (span === null) return await poster.post(post, stopping);
		const startMs = monotonicMs();
		const headers = { ...post.headers, traceparent: writeTraceParent(span) };
		const posted = await poster.post({ ...post, headers }, stopping);
		const status = posted.outcome.kind === "answered" ? posted.outcome.status : undefined;
		traces.record({
			...span,
			kind: "client",
			name: "delivery",
			startMs,
			endMs: monotonicMs(),
			failed: status === undefined || status >= FIRST_REFUSAL,
			// the receiver's address is the partner's own, and may have a secret in it
			attributes: {
				"http.request.method": "POST",
				"http.response.status_code": status,
				"holdfast.event_id": eventId,
			},
		});
		return posted;
	},
});
