import { describe, expect, it } from "vitest";
import { type Case, judged, verdictOn } from "../../../test/golive/example-facts.ts";
import { cancel, failing, getOrder, minute, place, request } from "../../../test/golive/example-requests.ts";
import { ordersCheck } from "./orders-check.ts";

const PLACED = place("o-1", minute(50), "cart-5", "h5", "o1");
const READ = getOrder("o-4", minute(53), "o1", "T1");
const CANCELLED = [place("o-2", minute(51), "cart-6", "h6", "o2"), cancel("o-3", minute(51, 9_000), "o2")];
const UNSHIPPED = getOrder("o-5", minute(50, 9_000), "o1", null);
const SHIPMENTS = request("o-6", minute(54), {
	operation: "listShipments",
	url: "/api/v1/shipments",
	reply: { data: { items: [{ tracking_number: "T1", orders: [{ order_id: "o1" }] }] } },
});
const DELIVERY = {
	at: minute(52),
	deliveryId: "d1",
	eventId: "e1",
	type: "order.shipped",
	orderId: "o1",
	trackingNumber: "T1",
	status: 200,
};

const ORDER_CASES: readonly Case[] = [
	["nothing was seen", [], "waiting", []],
	["all steps were seen", [PLACED, READ, ...CANCELLED], "passed", ["o-1", "o-4", "o-3"]],
	[
		"an order by confirm is one",
		[{ ...PLACED, operation: "confirm" }, READ, ...CANCELLED],
		"passed",
		["o-1", "o-4", "o-3"],
	],
	["an order is placed", [PLACED], "waiting", ["o-1"]],
	["no tracking number was read", [PLACED, UNSHIPPED, ...CANCELLED], "waiting", ["o-1", "o-5", "o-3"]],
	[
		"the list of shipments has it",
		[PLACED, UNSHIPPED, SHIPMENTS, ...CANCELLED],
		"passed",
		["o-1", "o-5", "o-6", "o-3"],
	],
	[
		"an event tells it",
		[PLACED, UNSHIPPED, ...CANCELLED],
		"passed",
		["o-1", "o-5", "d1", "o-3"],
		{ deliveries: [DELIVERY] },
	],
	[
		"an event that was not accepted does not",
		[PLACED, UNSHIPPED, ...CANCELLED],
		"waiting",
		["o-1", "o-5", "o-3"],
		{ deliveries: [{ ...DELIVERY, status: 500 }] },
	],
	["another order is read", [PLACED, getOrder("o-4", minute(53), "o8", "T1"), ...CANCELLED], "waiting", ["o-1", "o-3"]],
	["no order is cancelled", [PLACED, READ], "waiting", ["o-1", "o-4"]],
	[
		"a cancel comes too late",
		[PLACED, READ, failing(cancel("o-3", minute(60), "o1"), 409, "order_not_cancellable")],
		"waiting",
		["o-1", "o-4"],
	],
	["an order is refused", [failing(PLACED, 410, "reservation_expired"), ...CANCELLED], "waiting", ["o-2", "o-3"]],
];

describe("orders", () => {
	it.each(
		ORDER_CASES.map(
			([title, requests, verdict, evidence, some = {}]) => [title, { ...some, requests }, verdict, evidence] as const,
		),
	)("%s", (_name, some, verdict, evidence) => {
		expect(judged(ordersCheck, some)).toEqual([verdict, evidence]);
	});

	it("names the order that is to be read", () => {
		expect(verdictOn(ordersCheck, { requests: [PLACED] }).says).toContain("the same order read, o1; its tracking");
		expect(verdictOn(ordersCheck, { requests: [] }).says).toContain("the same order read; its tracking");
	});

	it("says what is still to be seen", () => {
		expect(verdictOn(ordersCheck, { requests: [PLACED, READ] }).says).toBe(
			"Still to be seen: an order cancelled before it is picked (within 30 s).",
		);
	});
});
