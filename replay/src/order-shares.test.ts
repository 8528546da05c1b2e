import { expect, test } from "vitest";
import type { BoxAnswer, OrderAnswer } from "./answers.ts";
import { Books } from "./books.ts";
import { Lots, sharesOf } from "./order-shares.ts";

const RECIPE = [{ formulaId: "f", perKit: 1 }];
const NOW = 1_000;

function lots(): Lots {
	const all = new Lots();
	all.add({ fgId: "own", formulaId: "f", pool: "NORTH", batch: "f-NORTH-B1" });
	all.add({ fgId: "shared", formulaId: "f", pool: null, batch: "f-SHARED-B1" });
	return all;
}

const box = (status: BoxAnswer["status"], ...units: [batch: string, units: number][]): BoxAnswer => ({
	shipment_id: "b",
	status,
	orders: [{ order_id: "o", ref: "r" }],
	items: units.map(([batch_number, some]) => ({
		order_id: "o",
		sku: "A",
		qty: some,
		lots: [{ formula_id: "f", batch_number, units: some }],
	})),
	shipped_at: null,
	version: 1,
});

const order = (
	status: OrderAnswer["status"],
	shipments: BoxAnswer[],
	had: [fgId: string, units: number][],
): OrderAnswer => ({
	order_id: "o",
	ref: "r",
	external_order_id: null,
	status,
	version: 1,
	reservation_token: "t",
	hold_reason: null,
	items: [
		{
			sku: "A",
			qty: 10,
			shipped_qty: 0,
			components: [
				{
					formula_id: "f",
					units: 10,
					lots: had.map(([fg_id, units]) => ({ fg_id, batch_number: `batch of ${fg_id}`, units })),
				},
			],
		},
	],
	shipments,
});

/** Books with 20 units in the brand's pool and 30 shared ones, of which a hold has 6 and 4. */
function booksWithHold(): Books {
	const books = new Books();
	books.received("f", "NORTH", 20);
	books.received("f", null, 30);
	const component = { formula_id: "f", per_kit: 1, reserved_units: 10, fg_ids: [] };
	books.granted({
		reservation_token: "t",
		expires_at: new Date(NOW + 1).toISOString(),
		idempotent: false,
		items: [
			{
				sku: "A",
				brand_code: "NORTH",
				reserved_qty: 10,
				components: [{ ...component, from_brand_pool: 6, from_shared_pool: 4 }],
			},
		],
	});
	return books;
}

test("units of an order are told by pool: those in boxes that have left are shipped, the others wait", () => {
	const partly = order(
		"partially_shipped",
		[box("shipped", ["f-NORTH-B1", 5]), box("awaiting_shipment", ["f-NORTH-B1", 1])],
		[
			["own", 6],
			["shared", 4],
		],
	);
	expect(sharesOf(partly, lots())).toEqual({
		shares: [
			{ formulaId: "f", pool: "NORTH", waiting: 1, shipped: 5 },
			{ formulaId: "f", pool: null, waiting: 4, shipped: 0 },
		],
		faults: [],
	});
});

test("a voided box has not left, and a cancelled order has nothing", () => {
	const voided = order("placed", [box("voided", ["f-NORTH-B1", 6])], [["own", 6]]);
	expect(sharesOf(voided, lots()).shares).toEqual([{ formulaId: "f", pool: "NORTH", waiting: 6, shipped: 0 }]);
	expect(sharesOf(order("cancelled", [], [["own", 6]]), lots()).shares).toEqual([]);
});

test("lots nobody received, and more shipped than there was, are faults", () => {
	expect(sharesOf(order("placed", [], [["stranger", 1]]), lots()).faults).toEqual([
		"order r: lot stranger was never received",
	]);
	const tooMuch = order("shipped", [box("shipped", ["f-NORTH-B1", 7])], [["own", 6]]);
	expect(sharesOf(tooMuch, lots()).faults).toEqual(["order r: more of batch f-NORTH-B1 was shipped than it had"]);
});

test("units of an order stay reserved until they leave, and then are on hand no more; the hold's end changes nothing", () => {
	const books = booksWithHold();
	books.ordered("t", [
		{ formulaId: "f", pool: "NORTH", waiting: 6, shipped: 0 },
		{ formulaId: "f", pool: null, waiting: 4, shipped: 0 },
	]);
	expect(books.expected(RECIPE, ["NORTH", null], NOW + 60_000)).toEqual({ on_hand: 50, reserved: 10, atp: 40 });
	books.ordered("t", [{ formulaId: "f", pool: "NORTH", waiting: 3, shipped: 7 }]);
	expect(books.expected(RECIPE, ["NORTH"], NOW)).toEqual({ on_hand: 13, reserved: 3, atp: 10 });
	expect(books.expected(RECIPE, [null], NOW)).toEqual({ on_hand: 30, reserved: 0, atp: 30 });
	books.ordered("t", []);
	expect(books.expected(RECIPE, ["NORTH", null], NOW)).toEqual({ on_hand: 50, reserved: 0, atp: 50 });
});

test("a recall takes units off the shelf, and a hold that is read back has others", () => {
	const books = booksWithHold();
	books.quarantined("f", "NORTH", 20);
	const component = { formula_id: "f", per_kit: 1, reserved_units: 10, fg_ids: [] };
	const items = [
		{
			sku: "A",
			brand_code: "NORTH",
			reserved_qty: 10,
			components: [{ ...component, from_brand_pool: 0, from_shared_pool: 10 }],
		},
	];
	books.readBack("t", items);
	expect(books.expected(RECIPE, ["NORTH"], NOW)).toEqual({ on_hand: 0, reserved: 0, atp: 0 });
	expect(books.expected(RECIPE, [null], NOW)).toEqual({ on_hand: 30, reserved: 10, atp: 20 });
	books.consumed("t");
	books.readBack("t", items);
	expect(books.expected(RECIPE, [null], NOW)).toEqual({ on_hand: 20, reserved: 0, atp: 20 });
});
