/** Partners get events about orders exactly once for each change, never without one, and never before it. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import type { Career, Careers } from "./careers.ts";
import type { EarlyEvent, EventFact, OrderFacts } from "./look-up-sql.ts";

const wrong = (kind: Wrong, what: string, at: number | null = null): Finding => finding(kind, what, at, "events");

/** Milliseconds by which two records of one instant may differ: both are rounded. */
const ROUNDING_MS = 2;

export function judgeEvents(on: Case, careers: Careers, facts: OrderFacts): Finding[] {
	const versions = new Map(facts.orders.map(({ orderId, version }) => [orderId, version]));
	const shipped = facts.events.filter(({ type }) => type === "order.shipped");
	return [
		...facts.events.flatMap((event) => judgeOrderOf(event, versions.get(event.orderId ?? ""))),
		...judgeShipped(shipped, facts),
		...judgeHeld(on, careers, facts),
	];
}

/** Events that a watch saw before their change was committed. */
export const judgeSights = (on: Case): Finding[] =>
	on.sights("orders").map(({ at, saw }) => {
		const { eventId, version, found } = saw as EarlyEvent;
		const was = found === null ? "did not exist" : `was in version ${found}`;
		return wrong(
			"doubled",
			`event ${eventId} reports version ${version} of its order, which ${was} when the event appeared`,
			at,
		);
	});

/** `found`: the version of the order in the tables; undefined: there is no such order. */
function judgeOrderOf({ eventId, orderId, version }: EventFact, found: number | undefined): Finding[] {
	if (found === undefined)
		return [wrong("doubled", `event ${eventId} is about order ${orderId}, which does not exist`)];
	return version <= found
		? []
		: [wrong("doubled", `event ${eventId} reports version ${version} of an order that is in version ${found}`)];
}

/** One event for each box that left and each order in it. */
function judgeShipped(events: readonly EventFact[], { boxes }: OrderFacts): Finding[] {
	const told = Map.groupBy(events, ({ orderId, shipmentId }) => `${shipmentId} ${orderId}`);
	const found: Finding[] = [];
	for (const box of boxes.filter(({ shippedAt }) => shippedAt !== null)) {
		for (const orderId of box.orders) {
			const name = `${box.shipmentId} ${orderId}`;
			const own = told.get(name) ?? [];
			told.delete(name);
			if (own.length === 0)
				found.push(wrong("lost", `no event reports that order ${orderId} left in box ${box.shipmentId}`));
			if (own.length > 1)
				found.push(wrong("doubled", `${own.length} events report that order ${orderId} left in box ${box.shipmentId}`));
			for (const { eventId, shippedAt } of own) {
				if (Math.abs((shippedAt ?? 0) - (box.shippedAt ?? 0)) <= ROUNDING_MS) continue;
				found.push(
					wrong("doubled", `event ${eventId} gives a different time than that at which box ${box.shipmentId} left`),
				);
			}
		}
	}
	const untrue = [...told.values()].flat();
	return [
		...found,
		...untrue.map(({ eventId, orderId, shipmentId }) =>
			wrong("doubled", `event ${eventId} reports that order ${orderId} left in box ${shipmentId}, which it did not`),
		),
	];
}

/** One event each time an order was put on hold: by an operator, or by a recall that left it without units. */
function judgeHeld(on: Case, { byId, commands }: Careers, { events, orders }: OrderFacts): Finding[] {
	const byOrder = Map.groupBy(
		events.filter(({ type }) => type === "order.held"),
		({ orderId }) => orderId,
	);
	const holds = commands.filter(({ about }) => about.what === "hold");
	return orders.flatMap((order) => {
		const { orderId, status, heldAt, holdReason } = order;
		const own = byOrder.get(orderId) ?? [];
		const asked = holds.filter(({ about }) => about.orders.includes(orderId));
		const done = asked.filter((command) => command.done).length;
		const byOperator = own.filter(({ reason }) => reason === "operator").length;
		const found: Finding[] = [];
		if (byOperator < done)
			found.push(wrong("lost", `order ${orderId} was put on hold ${done} times, but ${byOperator} events report this`));
		if (byOperator > asked.length)
			found.push(
				wrong(
					"doubled",
					`order ${orderId} was put on hold ${asked.length} times at most, but ${byOperator} events report this`,
				),
			);
		if (own.length > byOperator && !mayLoseUnits(on, byId.get(orderId)))
			found.push(wrong("doubled", `an event reports that order ${orderId} lost units, but nothing of it was recalled`));
		const last = own.at(-1);
		const same = last && last.reason === holdReason && Math.abs(last.createdAt - (heldAt ?? 0)) <= ROUNDING_MS;
		if (status === "held" && !same)
			found.push(
				wrong(
					"lost",
					`order ${orderId} is held for ${holdReason}, but its last event ${last ? `is of ${last.reason}, at a different time` : "does not exist"}`,
				),
			);
		return found;
	});
}

const mayLoseUnits = (on: Case, career: Career | undefined): boolean =>
	career?.life?.units.some(({ formula }) => on.opening.world.recalled.includes(formula)) ?? true;
