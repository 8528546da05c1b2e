import type { Case } from "../../check/case.ts";
import { countDone } from "../../check/exercise.ts";
import { finding } from "../../check/findings.ts";
import type { Topic } from "../../knowledge.ts";
import { livesIn } from "../holds/oracle.ts";
import type { Exercise, Oracle, Probe } from "../room.ts";
import { type OrderAttempts, type OrderReply, orderAttemptsIn } from "./attempts.ts";
import { type Career, type Careers, careersOf } from "./careers.ts";
import { followUps, judgePages } from "./follow.ts";
import { judgeOrderAnswers } from "./judge-answers.ts";
import { judgeBoxes } from "./judge-boxes.ts";
import { judgeEvents, judgeSights } from "./judge-events.ts";
import { judgeOrderLines } from "./judge-lines.ts";
import { judgeOrders } from "./judge-orders.ts";
import { judgeHoldReads } from "./judge-reads.ts";
import { lookForEarlyEvents, lookUpOrders, type OrderFacts } from "./look-up-sql.ts";
import { settleOrders } from "./settle.ts";

/** What the room derives from a case. */
interface Notes {
	attempts: OrderAttempts;
	careers: Careers;
}
const NOTES: Topic<Notes> = {
	name: "orders",
	make: () => ({ attempts: orderAttemptsIn([]), careers: { byId: new Map(), commands: [], findings: [] } }),
};

/** The careers of all orders, for rooms that build on them. Available once this room has settled the case. */
export const careersIn = (on: Case): Careers => on.notes(NOTES).careers;

const factsIn = (on: Case): OrderFacts | null => on.facts<OrderFacts>("orders") ?? null;

/** Milliseconds between two checks for early events: their changes follow within some milliseconds. */
const LOOK_EVERY_MS = 15;

export const ORDER_ORACLE: Oracle = {
	lookUp: lookUpOrders,
	watch: { everyMs: LOOK_EVERY_MS, begin: lookForEarlyEvents },
	settle(on) {
		const notes = on.notes(NOTES);
		const facts = factsIn(on);
		notes.attempts = orderAttemptsIn(on.exchanges);
		notes.careers = careersOf(on, notes.attempts, livesIn(on), facts);
		settleOrders(on, notes.careers, facts);
	},
	judge(on) {
		const { attempts, careers } = on.notes(NOTES);
		const facts = factsIn(on);
		return [
			...careers.findings,
			...judgeOrderAnswers(on, attempts, careers, livesIn(on)),
			...judgeHoldReads(on, attempts.reads, livesIn(on)),
			...judgePages(on, attempts.pages, facts),
			...judgeSights(on),
			...(facts
				? [
						...judgeOrders(on, careers, facts),
						...judgeBoxes(careers, attempts.combines, facts),
						...judgeEvents(on, careers, facts),
						...judgeOrderLines(on, careers, facts),
					]
				: []),
		];
	},
	probes(on) {
		const { attempts, careers } = on.notes(NOTES);
		const orders = [...careers.byId.values()].flatMap((career) => probesOf(on, career));
		return [...followUps(on, attempts.pages, factsIn(on)), ...orders];
	},
	exercised: (on) => exercisedOrders(on, factsIn(on)),
	tally(on) {
		const facts = factsIn(on);
		if (facts === null) return {};
		const tally = (words: readonly string[]): Record<string, number> => {
			const counts: Record<string, number> = {};
			for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
			return counts;
		};
		return {
			orders: tally(facts.orders.map(({ status }) => status)),
			shipments: tally(facts.boxes.map(({ status }) => status)),
			events: tally(facts.events.map(({ type }) => type)),
		};
	},
};

function exercisedOrders(on: Case, facts: OrderFacts | null): Exercise[] {
	const boxes = facts?.boxes ?? [];
	const shipped = (facts?.orders ?? []).filter(({ shipped: units }) => units > 0);
	const parts = boxes.filter(
		({ status, orders }) =>
			status === "shipped" &&
			orders.some((orderId) => shipped.some((order) => order.orderId === orderId && order.boxes.length > 1)),
	);
	const staying = (facts?.orders ?? []).filter(({ status }) => status !== "cancelled");
	return [
		{ what: "boxes shipped", count: boxes.filter(({ shippedAt }) => shippedAt !== null).length, perMinute: 2 },
		{ what: "parts of orders shipped", count: parts.length, perMinute: 0.7 },
		{ what: "boxes voided", count: countDone(on, ["ship", "void"]), perMinute: 0.7 },
		{ what: "orders that were not cancelled", count: staying.length, perMinute: 20 },
	];
}

/** Milliseconds between an acknowledgement and a fault that give its probe priority. */
const NEAR_A_FAULT_MS = 2_000;

/** What the API must answer about an order at the end; for every other order, to a repeat of the place. */
function probesOf(on: Case, { actor, orderId, key, token, told, placed, cancelled, fact }: Career): Probe[] {
	if (!told) return [];
	const last = cancelled?.told ? cancelled.latest : placed.latest;
	const urgent = on.faults.some(({ began, ended }) => began - NEAR_A_FAULT_MS < last && last < ended + NEAR_A_FAULT_MS);
	const customer = {
		name: "A. Customer",
		ship_to: { line1: "1", city: "Hamburg", postal_code: "20457", country: "DE" },
	};
	const asked = { actor, urgent } as const;
	const right = (order: Partial<OrderReply> | undefined): boolean =>
		order?.order_id === orderId && (fact === null || (order.status === fact.status && order.version === fact.version));
	const judge =
		(what: string): Probe["judge"] =>
		(status, reply) =>
			status === 200 && right((reply as { data?: OrderReply } | null)?.data)
				? null
				: finding(
						"lost",
						`order ${orderId} of ${actor}: ${what} answers ${status} ${JSON.stringify(reply)}, expected it to be ${fact?.status ?? "there"}`,
						null,
						"orders",
					);
	return [
		{ ...asked, method: "GET", path: `/api/v1/orders/${orderId}`, judge: judge("get") },
		{
			...asked,
			method: "POST",
			path: "/api/v1/orders",
			key,
			body: {
				reservation_token: token,
				customer,
			},
			judge: judge("the same place"),
		},
	];
}
