/** Webhooks: every event reaches every endpoint that it is for, and nothing else does. */
import type { Oracle, Tally } from "../room.ts";
import { judgeDeliveries } from "./judge-deliveries.ts";
import { judgePosts } from "./judge-posts.ts";
import { judgeTests } from "./judge-tests.ts";
import { lookUpWebhooks } from "./look-up-sql.ts";
import { type Endpoint, endpointsIn, factsIn, isAccepted, type WebhookFacts } from "./notes.ts";

export const WEBHOOK_ORACLE: Oracle = {
	lookUp: lookUpWebhooks,
	settle: () => undefined,
	judge(on) {
		const endpoints = endpointsIn(on);
		const facts = factsIn(on);
		return [
			...judgeTests(on, endpoints, facts),
			...judgePosts(on, endpoints, facts),
			...(facts ? judgeDeliveries(endpoints, facts) : []),
		];
	},
	probes: () => [],
	tally(on) {
		const facts = factsIn(on);
		return facts ? tallyOf(endpointsIn(on), facts) : {};
	},
};

/** "accepted again": posts of an event that the receiver had already accepted. */
function tallyOf(endpoints: readonly Endpoint[], { deliveries }: WebhookFacts): Tally {
	const posts = { accepted: 0, "accepted again": 0, "answered otherwise": 0, "not answered": 0 };
	for (const endpoint of endpoints) {
		const had = new Set<string>();
		for (const post of endpoint.posts) {
			if (!isAccepted(post)) posts[typeof post.answer === "number" ? "answered otherwise" : "not answered"]++;
			else posts[had.has(post.eventId) ? "accepted again" : "accepted"]++;
			if (isAccepted(post)) had.add(post.eventId);
		}
	}
	const byStatus = { delivered: 0, exhausted: 0, dropped: 0, pending: 0 };
	for (const { status } of deliveries) byStatus[status]++;
	return { deliveries: byStatus, posts };
}
