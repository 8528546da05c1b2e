import { describe, expect, it } from "vitest";
import type { Wrong } from "./findings.ts";
import { LEFT_AT, OrderStory } from "./order-story.ts";

interface Told {
	readonly title: string;
	readonly story: () => OrderStory;
	readonly wrongs: readonly Wrong[];
}

/** A hold of one unit of LAST, of which there are six, that became an order. */
const placed = (): OrderStory => new OrderStory().reserve([0, 10], { token: "t" }).place([20, 30], { id: "o" });
/** The same, shipped in box b. */
const shipped = (): OrderStory => placed().ship([200, 300], "o", "b").order("o", { status: "shipped" }).box("b");
const waiting = (story: OrderStory): OrderStory => story.box("b", { status: "awaiting_shipment" });

const HONEST: readonly Told[] = [
	{ title: "an order that is shipped, and told of", story: () => shipped().event("e"), wrongs: [] },
	{
		title: "an order that waits, is read, and whose hold is read back",
		story: () => waiting(placed().show([40, 50], "o").read([60, 70], "t", "placed", { order: "o" }).order("o")),
		wrongs: [],
	},
	{
		title: "units of a cancelled order that are sold again",
		story: () =>
			new OrderStory()
				.reserve([0, 10], { token: "t", qty: 6 })
				.place([20, 30], { id: "o" })
				.cancel([40, 50], "o")
				.reserve([60, 70], { token: "u", qty: 6 }),
		wrongs: [],
	},
	{
		title: "a place that nobody heard of, and the repeat that told of it",
		story: () => waiting(placedUnknown().place([100, 110], { id: "o", status: 200 }).order("o")),
		wrongs: [],
	},
	{
		title: "a place that nobody heard of, and that happened",
		story: () =>
			waiting(
				placedUnknown()
					.found("t", { status: "placed", orderRef: "k", moved: { reserve: 1, place: 1 } })
					.order("o"),
			),
		wrongs: [],
	},
	{
		title: "a place that nobody heard of, and that did not happen",
		story: () => placedUnknown().release([60_000, 60_010], "t").noOtherOrders(),
		wrongs: [],
	},
	{
		title: "two clients of a key that place and consume the same hold",
		story: () =>
			waiting(
				placed()
					.consume([22, 28], "t", "c", { status: 410 })
					.place([25, 35], { id: "", key: "k2", status: 409, code: "reservation_used" })
					.order("o"),
			),
		wrongs: [],
	},
	{
		title: "a shipment that was voided, and went again",
		story: () =>
			placed()
				.ship([200, 300], "o", "b")
				.command([400, 500], "void", [], { shipment: "b" })
				.ship([600, 700], "o", "b2")
				.order("o", { status: "shipped", boxes: ["b", "b2"], moved: { ship: 2, void: 1 } })
				.box("b", { status: "voided" })
				.box("b2", { shippedAt: 650 })
				.event("e")
				.event("e2", { shipmentId: "b2", shippedAt: 650 }),
		wrongs: [],
	},
	{
		title: "two orders in one box, each told of",
		story: () =>
			placed()
				.reserve([0, 10], { token: "t2" })
				.place([20, 30], { id: "o2", token: "t2", key: "k2" })
				.combine([100, 110], ["o", "o2"], "b")
				.ship([200, 300], "o2", "b")
				.order("o", { status: "shipped" })
				.order("o2", { status: "shipped", ref: "k2", token: "t2" })
				.box("b", { orders: ["o", "o2"] })
				.event("e")
				.event("e2", { orderId: "o2" }),
		wrongs: [],
	},
	{
		title: "a ship that nobody heard of, and that happened",
		story: () =>
			placed().command([200, 300], "ship", ["o"], { code: null }).order("o", { status: "shipped" }).box("b").event("e"),
		wrongs: [],
	},
	{
		title: "an order that lost its units to a recall",
		story: () =>
			new OrderStory()
				.reserve([0, 10], { token: "t", sku: "R" })
				.place([20, 30], { id: "o" })
				.order("o", { status: "held", holdReason: "lot_recalled", heldAt: LEFT_AT, allocated: 0 })
				.box("b", { status: "on_hold" })
				.held("e", "lot_recalled"),
		wrongs: [],
	},
	{
		title: "a cancel that is refused because the order was picked",
		story: () =>
			waiting(
				placed()
					.command([100, 200], "pick", ["o"], { out: { items: [{ order_id: "o", picked: true }] } })
					.cancel([150, 160], "o", { status: 409, code: "order_not_cancellable" })
					.order("o", { status: "picked" }),
			),
		wrongs: [],
	},
	{
		title: "a reader who sees a box twice, and the other once",
		story: () =>
			followed(
				[["b", 1]],
				[
					["b2", 1],
					["b", 2],
				],
			),
		wrongs: [],
	},
];

const placedUnknown = (): OrderStory =>
	new OrderStory().reserve([0, 10], { token: "t" }).place([20, 30], { id: "", status: null });

/** Two orders of ACME, and two pages of the list of their boxes. */
function followed(
	first: readonly (readonly [string, number])[],
	second: readonly (readonly [string, number])[],
	brand = "ACME",
): OrderStory {
	const story = new OrderStory();
	for (const [n, box] of ["b2", "b"].entries()) {
		const [id, token, key] = [`o${n}`, `t${n}`, `k${n}`];
		story.reserve([0, 10], { token, by: "acme-web" }).place([20, 30], { id, token, key, by: "acme-web" });
		story.order(id, { keyId: "id of acme-web", ref: key, token, boxes: [box] });
		story.box(box, { status: "awaiting_shipment", orders: [id], brand: "ACME", version: n + 1 });
	}
	return story.page([40, 50], first).page([60, 70], second, { cursor: `after ${first.length}`, brand });
}

const LOST: readonly Told[] = [
	{ title: "an acknowledged order that is in no table", story: () => placed().noOtherOrders(), wrongs: ["lost"] },
	{
		title: "an order that its own key is told does not exist",
		story: () => placed().show([40, 50], "o", { status: 404, code: "order_not_found" }),
		wrongs: ["lost"],
	},
	{
		title: "a hold that was there, and is told to be used",
		story: () =>
			new OrderStory()
				.reserve([0, 10], { token: "t" })
				.place([20, 30], { id: "", status: 409, code: "reservation_used" }),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged cancel of which the tables know nothing",
		story: () => waiting(placed().cancel([40, 50], "o").order("o")),
		wrongs: ["lost"],
	},
	{
		title: "a cancel that forgot a part of the order",
		story: () =>
			new OrderStory()
				.reserve([0, 10], { token: "t", qty: 2 })
				.place([20, 30], { id: "o" })
				.cancel([40, 50], "o")
				.order("o", { status: "cancelled", freed: 1, moved: { cancel: 1 } }),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged shipment of which the tables know nothing",
		story: () => waiting(placed().ship([200, 300], "o", "b").order("o")),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged pick of which the tables know nothing",
		story: () =>
			waiting(
				placed()
					.command([100, 200], "pick", ["o"], { out: { items: [{ order_id: "o", picked: true }] } })
					.order("o"),
			),
		wrongs: ["lost"],
	},
	{
		title: "an order that lost its units to a recall, and is to be picked all the same",
		story: () =>
			waiting(
				new OrderStory()
					.reserve([0, 10], { token: "t", sku: "R" })
					.place([20, 30], { id: "o" })
					.order("o", { allocated: 0 }),
			),
		wrongs: ["lost"],
	},
	{ title: "an order that waits in no box", story: () => placed().order("o"), wrongs: ["lost"] },
	{ title: "a box that left and nobody was told of", story: () => shipped(), wrongs: ["lost"] },
	{
		title: "an order that is held and nobody was told of",
		story: () =>
			placed()
				.command([100, 200], "hold", ["o"])
				.order("o", { status: "held", holdReason: "operator", heldAt: 150 })
				.box("b", { status: "on_hold" }),
		wrongs: ["lost"],
	},
	{ title: "a box that a reader of the list passed by", story: () => followed([], [["b", 2]]), wrongs: ["lost"] },
	{
		title: "a hold that is read back as unknown",
		story: () => placed().read([40, 50], "t", "", { status: 404 }),
		wrongs: ["lost"],
	},
];

const DOUBLED: readonly Told[] = [
	{
		title: "two orders under one Idempotency-Key",
		story: () => placed().place([40, 50], { id: "o2", status: 200 }),
		wrongs: ["doubled"],
	},
	{
		title: "an order that was told twice to have been made",
		story: () => placed().place([40, 50], { id: "o" }),
		wrongs: ["doubled"],
	},
	{
		title: "an order that nobody asked for",
		story: () => waiting(new OrderStory().reserve([0, 10], { token: "t" }).order("o")),
		wrongs: ["doubled"],
	},
	{
		title: "a hold that was placed and consumed",
		story: () => placed().consume([40, 50], "t", "c"),
		wrongs: ["doubled"],
	},
	{
		title: "an order that was cancelled although nobody asked for it",
		story: () => placed().order("o", { status: "cancelled" }),
		wrongs: ["doubled"],
	},
	{
		title: "a cancel that gave units back twice",
		story: () =>
			placed()
				.cancel([40, 50], "o")
				.order("o", { status: "cancelled", moved: { cancel: 2 } }),
		wrongs: ["doubled"],
	},
	{
		title: "a shipment that nobody asked for",
		story: () => placed().order("o", { status: "shipped" }).box("b").event("e"),
		wrongs: ["doubled"],
	},
	{
		title: "an order that waits in two boxes",
		story: () => waiting(placed().order("o").box("b2", { status: "awaiting_shipment" })),
		wrongs: ["doubled"],
	},
	{
		title: "a box that partners were told of twice",
		story: () => shipped().event("e").event("e2"),
		wrongs: ["doubled"],
	},
	{
		title: "an event of a box that never left",
		story: () => waiting(placed().order("o").event("e")),
		wrongs: ["doubled"],
	},
	{
		title: "an event that tells of another moment than the box",
		story: () => shipped().event("e", { shippedAt: LEFT_AT - 100 }),
		wrongs: ["doubled"],
	},
	{
		title: "an event of a version that the order does not have",
		story: () => shipped().event("e", { version: 10 }),
		wrongs: ["doubled"],
	},
	{
		title: "an event that was there before its commit",
		story: () => shipped().event("e").sight(249, { eventId: "e", version: 2, found: 1 }),
		wrongs: ["doubled"],
	},
	{
		title: "an order that partners were told twice was held",
		story: () =>
			waiting(
				placed()
					.command([100, 200], "hold", ["o"])
					.command([300, 400], "release", ["o"])
					.order("o")
					.held("e", "operator")
					.held("e2", "operator"),
			),
		wrongs: ["doubled"],
	},
];

const OTHERS: readonly Told[] = [
	{
		title: "a unit that was placed, and is sold again",
		story: () =>
			new OrderStory()
				.reserve([0, 10], { token: "t", qty: 6 })
				.place([20, 30], { id: "o" })
				.reserve([40, 50], { token: "u" }),
		wrongs: ["oversold"],
	},
	{
		title: "a count that shows the unit of an order as free",
		story: () => placed().inventory([40, 50], "LAST", 6, [null]),
		wrongs: ["wrong read"],
	},
	{
		title: "an order that is shown as placed after it was cancelled",
		story: () => placed().cancel([40, 50], "o").show([60, 70], "o", { version: 2 }),
		wrongs: ["wrong read"],
	},
	{
		title: "an order that is shown in an older version than before",
		story: () => placed().show([40, 50], "o", { version: 3 }).show([60, 70], "o", { version: 2 }),
		wrongs: ["wrong read"],
	},
	{
		title: "a hold that is read back as active after it was placed",
		story: () => placed().read([40, 50], "t", "active"),
		wrongs: ["wrong read"],
	},
	{
		title: "a cancel that is refused although nobody picked the order",
		story: () => placed().cancel([40, 50], "o", { status: 409, code: "order_not_cancellable" }),
		wrongs: ["wrong read"],
	},
	{
		title: "an order that another key is shown",
		story: () => placed().show([40, 50], "o", { by: "bolt-web" }),
		wrongs: ["leak"],
	},
	{
		title: "a hold that another key placed",
		story: () => new OrderStory().reserve([0, 10], { token: "t" }).place([20, 30], { id: "o", by: "bolt-web" }),
		wrongs: ["leak"],
	},
	{
		title: "a hold that another key reads back",
		story: () => placed().read([40, 50], "t", "placed", { by: "bolt-web", order: "o" }),
		wrongs: ["leak"],
	},
	{
		title: "a list that shows boxes of another brand",
		story: () =>
			followed(
				[["b", 1]],
				[
					["b2", 1],
					["b", 2],
				],
				"BOLT",
			),
		wrongs: ["leak"],
	},
	{
		title: "a refusal that the contract does not have",
		story: () => new OrderStory().reserve([0, 10], { token: "t" }).place([20, 30], { id: "", status: 418 }),
		wrongs: ["unexpected"],
	},
];

describe("the checker, of orders", () => {
	it.each(HONEST)("finds nothing wrong in $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
	it.each([...LOST, ...DOUBLED, ...OTHERS])("finds $wrongs in $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
});
