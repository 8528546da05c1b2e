/** Partners request test events for their own endpoints and for those of others. */
import type { Topic } from "../../knowledge.ts";
import type { Ask, Operation, Situation } from "../room.ts";

interface KnownEndpoint {
	readonly endpointId: string;
	readonly partner: string;
}

class WebhooksKnown {
	readonly endpoints: KnownEndpoint[] = [];
}
export const WEBHOOKS: Topic<WebhooksKnown> = { name: "webhooks", make: () => new WebhooksKnown() };

/** A test of an endpoint. Never repeated, because each would be an event of its own. */
const test =
	(whose: "own" | "stranger's") =>
	({ knows, actor, chance }: Situation): Ask | null => {
		const { endpoints } = knows.of(WEBHOOKS);
		const fitting = endpoints.filter(({ partner }) => (partner === actor.partner) === (whose === "own"));
		if (fitting.length === 0) return null;
		const { endpointId } = chance.pick(fitting);
		return { method: "POST", path: `/api/v1/webhook-endpoints/${endpointId}/test`, repeatable: false };
	};

export const WEBHOOK_OPERATIONS: readonly Operation[] = [
	{ name: "webhook test", weight: 3, leastDone: 0.5, build: test("own") },
	{ name: "stranger's webhook test", weight: 0.3, leastDone: 0, build: test("stranger's") },
];
