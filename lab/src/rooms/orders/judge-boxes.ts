/** Compares boxes at the end with operators' commands: each left once, because somebody shipped it. */
import { type Finding, finding, type Wrong } from "../../check/findings.ts";
import type { CombineAttempt } from "./attempts.ts";
import type { Careers } from "./careers.ts";
import type { BoxFact, OrderFact, OrderFacts } from "./look-up-sql.ts";
import { shipmentsOf, shipsOf, voidsOf } from "./settle.ts";

const wrong = (kind: Wrong, what: string, at: number | null = null): Finding => finding(kind, what, at, "shipments");

/** States of a box in which the rest of an order waits. */
const WAITING = ["awaiting_shipment", "on_hold", "label_created"];

export function judgeBoxes(careers: Careers, combines: readonly CombineAttempt[], facts: OrderFacts): Finding[] {
	const byId = new Map(facts.boxes.map((box) => [box.shipmentId, box]));
	const cancelled = new Set(facts.orders.filter(({ status }) => status === "cancelled").map(({ orderId }) => orderId));
	const waiting = waitingByOrder(facts.boxes);
	return [
		...judgeCommands(careers, byId),
		...facts.boxes.flatMap((box) => judgeCauses(careers, box)),
		...facts.orders.flatMap((order) => judgeWaiting(order, waiting.get(order.orderId) ?? [])),
		...combines.flatMap((attempt) => judgeCombined(attempt, byId, cancelled)),
	];
}

/** The boxes in which each order waits. */
function waitingByOrder(boxes: readonly BoxFact[]): ReadonlyMap<string, readonly BoxFact[]> {
	const pairs = boxes
		.filter(({ status }) => WAITING.includes(status))
		.flatMap((box) => box.orders.map((orderId) => ({ orderId, box })));
	const grouped = Map.groupBy(pairs, ({ orderId }) => orderId);
	return new Map([...grouped].map(([orderId, own]) => [orderId, own.map(({ box }) => box)]));
}

/** Commands that succeeded, against the boxes. */
function judgeCommands({ commands }: Careers, byId: ReadonlyMap<string, BoxFact>): Finding[] {
	return commands.flatMap((command) => {
		const { about, done, errand } = command;
		const told = about.what === "void" && done && about.shipment !== null ? [about.shipment] : shipmentsOf(command);
		return told.flatMap((shipmentId) => {
			const said = `${about.what} of box ${shipmentId} was acknowledged, but`;
			const box = byId.get(shipmentId);
			if (!box) return [wrong("lost", `${said} there is no such box`, errand.end)];
			const right = box.status === "voided" || (about.what === "ship" && box.status === "shipped");
			return right ? [] : [wrong("lost", `${said} it is ${box.status}`, errand.end)];
		});
	});
}

/** Boxes in the tables, against the commands that caused them. */
function judgeCauses({ commands }: Careers, box: BoxFact): Finding[] {
	const { shipmentId, status, shippedAt } = box;
	const found: Finding[] = [];
	if (shippedAt !== null && shipsOf(box, commands).length === 0)
		found.push(wrong("doubled", `box ${shipmentId} is ${status}, but no command can have shipped it`));
	if (status === "voided" && voidsOf(box, commands).length === 0)
		found.push(wrong("doubled", `box ${shipmentId} is voided without a request`));
	return found;
}

/** An order with something left waits in exactly one box, any other in none. */
function judgeWaiting({ orderId, status, boxes }: OrderFact, waiting: readonly BoxFact[]): Finding[] {
	const expected = status === "shipped" || status === "cancelled" ? 0 : 1;
	if (waiting.length !== expected) {
		const kind = waiting.length < expected ? "lost" : "doubled";
		return [wrong(kind, `${status} order ${orderId} waits in ${waiting.length} boxes, expected ${expected}`)];
	}
	const [box] = waiting;
	return box && !boxes.includes(box.shipmentId)
		? [wrong("lost", `order ${orderId} waits in box ${box.shipmentId}, which it does not name`)]
		: [];
}

/** Combined orders are in the reported box, unless they were cancelled. */
function judgeCombined(
	{ box, end }: CombineAttempt,
	byId: ReadonlyMap<string, BoxFact>,
	cancelled: ReadonlySet<string>,
): Finding[] {
	if (box === null) return [];
	const { shipment_id: id } = box;
	const now = byId.get(id);
	if (!now) return [wrong("lost", `box ${id} was acknowledged by a combine, but is not in the tables`, end)];
	const left = box.orders.filter(({ order_id: orderId }) => !now.orders.includes(orderId) && !cancelled.has(orderId));
	return left.map(({ order_id: orderId }) =>
		wrong("lost", `order ${orderId} was combined into box ${id}, but is not in it`, end),
	);
}
