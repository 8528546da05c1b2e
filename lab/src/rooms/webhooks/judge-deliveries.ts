/**
 * Compares deliveries in the tables with the posts that receivers got: every event reaches every endpoint it is for.
 */
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import { type DeliveryFact, type Endpoint, GONE, isAccepted, type WebhookFacts } from "./notes.ts";

/** Attempts after which a delivery is exhausted (contract, section 6). */
const ATTEMPTS = 10;
/** Milliseconds for which a due delivery may wait at the end: a sender that died is replaced after 30 s. */
const OVERDUE_MS = 45_000;
const MS = 1_000;

const wrong = (kind: Wrong, what: string): Finding => finding(kind, what, null, "deliveries");

export function judgeDeliveries(endpoints: readonly Endpoint[], facts: WebhookFacts): Finding[] {
	const byEndpoint = Map.groupBy(facts.deliveries, ({ endpointId }) => endpointId);
	const reasons = new Map(facts.endpoints.map(({ endpointId, inactiveReason }) => [endpointId, inactiveReason]));
	return endpoints.flatMap((endpoint) => {
		const deliveries = byEndpoint.get(endpoint.endpointId) ?? [];
		const reason = reasons.get(endpoint.endpointId);
		if (reason === undefined) return [wrong("lost", `endpoint "${endpoint.receiver}" does not exist`)];
		const accepted = new Set(endpoint.posts.filter(isAccepted).map(({ eventId }) => eventId));
		return [
			...judgeEnd(endpoint, reason),
			...(reason === null ? judgeMissing(endpoint, deliveries, facts) : []),
			...deliveries.flatMap((delivery) =>
				judgeOne(endpoint, delivery, accepted.has(delivery.eventId), reason === null),
			),
		];
	});
}

/** An endpoint becomes inactive only when its receiver answers 410; nothing else in a run causes it. */
function judgeEnd({ receiver, posts }: Endpoint, reason: string | null): Finding[] {
	const saidSo = posts.some(({ answer }) => answer === GONE);
	if (reason === null && saidSo) return [wrong("unexpected", `"${receiver}" answered ${GONE}, but is still sent to`)];
	if (reason !== null && !(saidSo && reason === "gone"))
		return [wrong("lost", `"${receiver}" is sent nothing more (${reason}), although it never answered ${GONE}`)];
	return [];
}

/** Every endpoint was registered before the first event. */
function judgeMissing(
	{ endpointId, partner, receiver }: Endpoint,
	deliveries: readonly DeliveryFact[],
	{ events }: WebhookFacts,
): Finding[] {
	const known = new Set(deliveries.map(({ eventId }) => eventId));
	return events
		.filter((event) => event.partner === partner && (event.only ?? endpointId) === endpointId)
		.filter(({ eventId }) => !known.has(eventId))
		.map(({ eventId }) => wrong("lost", `event ${eventId} of ${partner} has no delivery to "${receiver}"`));
}

function judgeOne(
	{ receiver }: Endpoint,
	{ eventId, status, failures, dueForMs }: DeliveryFact,
	accepted: boolean,
	active: boolean,
): Finding[] {
	switch (status) {
		case "delivered":
			return accepted
				? []
				: [wrong("lost", `event ${eventId} counts as delivered, but "${receiver}" never accepted it`)];
		case "exhausted":
			if (failures >= ATTEMPTS) return [];
			return [wrong("lost", `event ${eventId} was given up after ${failures} attempts at "${receiver}"`)];
		case "dropped":
			return active ? [wrong("lost", `event ${eventId} was dropped, although "${receiver}" is active`)] : [];
		case "pending":
			if (!active || (dueForMs ?? 0) <= OVERDUE_MS) return [];
			return [
				wrong(
					"lost",
					`event ${eventId} has been due for ${Math.round((dueForMs ?? 0) / MS)} s and is not sent, although "${receiver}" works`,
				),
			];
	}
}
