import { isDone, listAt, memberAt, PLACES, textAt } from "./content.ts";
import type { Check, CheckVerdict, FactRequest, GoLiveFacts } from "./facts.ts";
import { passed, waiting } from "./verdicts.ts";

/**
 * One order placed, read, and followed to its tracking number, which the partner reads (the order, the list of orders,
 * that of shipments) or receives in an `order.shipped`, answered 2xx; and one order cancelled, which is possible
 * only before it is picked. Nothing fails it: a partner's tests may try every refusal in the sandbox.
 */
export const ordersCheck: Check = {
	name: "orders",
	title: "Orders",
	passedWhen:
		"An order was placed, read and followed to its tracking number, and one was cancelled before it was picked.",
	optional: false,
	concerns: ({ mayOrder }) => mayOrder,
	judge,
	faults: () => [],
};

/** A step of an order, and the requests or deliveries that prove it. */
interface Step {
	readonly at: number;
	readonly id: string;
}
type Steps = ReadonlyMap<string, Step>;

/** Operations whose replies contain orders or their boxes. */
const READS: ReadonlySet<string> = new Set(["getOrder", "listOrders", "listShipments"]);

/** The first step for each order. `idsIn`: the orders for which a request is the step. */
function stepsIn(
	requests: readonly FactRequest[],
	idsIn: (request: FactRequest) => readonly (string | null)[],
): Map<string, Step> {
	const steps = new Map<string, Step>();
	for (const request of requests.filter(isDone)) {
		for (const id of idsIn(request)) {
			if (id !== null && !steps.has(id)) steps.set(id, { at: request.at, id: request.requestId });
		}
	}
	return steps;
}

/** The order in a reply, or the rows of a reply that is a list. */
const rowsIn = ({ operation, reply }: FactRequest): readonly unknown[] =>
	operation === "getOrder" ? [memberAt(reply, "data")] : listAt(reply, "data", "items");

const orderIdIn = ({ reply }: FactRequest): string | null => textAt(reply, "data", "order_id");

/** The orders that a reply shows with a tracking number. */
const trackedIn = (request: FactRequest): (string | null)[] =>
	!READS.has(request.operation)
		? []
		: rowsIn(request)
				.flatMap((row) => (request.operation === "listShipments" ? [row] : listAt(row, "shipments")))
				.filter((box) => textAt(box, "tracking_number") !== null)
				.flatMap((box) => listAt(box, "orders").map((order) => textAt(order, "order_id")));

/** The orders that a reply shows. */
const readIn = (request: FactRequest): (string | null)[] =>
	!READS.has(request.operation) || request.operation === "listShipments"
		? []
		: rowsIn(request).map((row) => textAt(row, "order_id"));

function trackings({ requests, deliveries }: GoLiveFacts): Steps {
	const steps = stepsIn(requests, trackedIn);
	for (const delivery of deliveries.filter(isDone)) {
		const { orderId, trackingNumber, at, deliveryId } = delivery;
		if (orderId === null || trackingNumber === null || at >= (steps.get(orderId)?.at ?? Number.POSITIVE_INFINITY))
			continue;
		steps.set(orderId, { at, id: deliveryId });
	}
	return steps;
}

function judge(facts: GoLiveFacts): CheckVerdict {
	const { requests } = facts;
	const placed = stepsIn(requests, (one) => (PLACES.has(one.operation) ? [orderIdIn(one)] : []));
	const read = stepsIn(requests, readIn);
	const tracked = trackings(facts);
	const [cancelled] = stepsIn(requests, (one) => (one.operation === "cancelOrder" ? [orderIdIn(one)] : [])).values();
	const progress = [...placed].map(([order, first]) => [first, read.get(order), tracked.get(order)]);
	const furthest = progress.reduce<readonly (Step | undefined)[]>(
		(best, steps) => (countOf(steps) > countOf(best) ? steps : best),
		[],
	);
	const [followed] = [...placed].find(([, first]) => first === furthest[0]) ?? [];
	const steps = [
		[furthest[0], "an order placed"],
		[furthest[1], followed === undefined ? "the same order read" : `the same order read, ${followed}`],
		[furthest[2], "its tracking number read, or told by order.shipped (60 s after it was placed)"],
		[cancelled, "an order cancelled before it is picked (within 30 s)"],
	] as const;
	const seen = steps.flatMap(([step]) => (step ? [step] : []));
	const missing = steps.flatMap(([step, what]) => (step ? [] : [what]));
	const ids = seen.map(({ id }) => id);
	const since = seen.length === 0 ? null : Math.max(...seen.map(({ at }) => at));
	return missing.length === 0 && since !== null
		? passed("An order was placed, read and followed to its tracking number, and one was cancelled.", since, ids)
		: waiting(
				`Still to be seen: ${missing.join("; ")}.`,
				"Run these steps once against the sandbox, which picks and ships automatically.",
				since,
				ids,
			);
}

const countOf = (steps: readonly (Step | undefined)[]): number => steps.filter((step) => step !== undefined).length;
