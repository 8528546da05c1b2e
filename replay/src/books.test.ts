import { beforeEach, expect, test } from "vitest";
import type { HoldAnswer } from "./answers.ts";
import { Books, type Recipe } from "./books.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const SOON = NOW + 60_000;
const ONE: Recipe = [{ formulaId: "f", perKit: 1 }];
const PACK: Recipe = [{ formulaId: "f", perKit: 4 }];
const KIT: Recipe = [
	{ formulaId: "f", perKit: 2 },
	{ formulaId: "g", perKit: 1 },
];

let books: Books;

beforeEach(() => {
	books = new Books();
	books.received("f", "B", 10);
	books.received("f", null, 5);
	books.received("g", null, 3);
});

function hold(token: string, fromBrand: number, fromShared: number): HoldAnswer {
	const units = fromBrand + fromShared;
	const component = {
		formula_id: "f",
		per_kit: 1,
		reserved_units: units,
		from_brand_pool: fromBrand,
		from_shared_pool: fromShared,
		fg_ids: ["lot"],
	};
	const items = [{ sku: "S", brand_code: "B", reserved_qty: units, components: [component] }];
	return { reservation_token: token, expires_at: new Date(SOON).toISOString(), idempotent: false, items };
}

test("held units stay on hand and cannot be promised again, in the pool they came from", () => {
	books.granted(hold("t", 10, 2));
	expect(books.expected(ONE, ["B"], NOW)).toEqual({ on_hand: 10, reserved: 10, atp: 0 });
	expect(books.expected(ONE, [null], NOW)).toEqual({ on_hand: 5, reserved: 2, atp: 3 });
	expect(books.expected(ONE, ["B", null], NOW)).toEqual({ on_hand: 15, reserved: 12, atp: 3 });
	expect(books.unitsOf("t")).toBe(12);
});

test("the same hold told twice is one hold", () => {
	books.granted(hold("t", 4, 0));
	books.granted({ ...hold("t", 4, 0), idempotent: true });
	expect(books.expected(ONE, ["B"], NOW).reserved).toBe(4);
});

test("a hold past its time is free, and a count read around that time may be either", () => {
	books.granted(hold("t", 4, 0));
	expect(books.expected(ONE, ["B"], SOON - 1).atp).toBe(6);
	expect(books.expected(ONE, ["B"], SOON).atp).toBe(10);
	expect(books.changesBetween(ONE, ["B"], SOON - 10, SOON + 10)).toBe(true);
	expect(books.changesBetween(ONE, ["B"], NOW, SOON - 1)).toBe(false);
	expect(books.changesBetween(ONE, [null], SOON - 10, SOON + 10)).toBe(false);
	expect([books.openAt(NOW), books.openAt(SOON)]).toEqual([1, 0]);
});

test("a release frees, a consume takes away, a reverse brings back, each once however often it is told", () => {
	books.granted(hold("released", 4, 0));
	books.ended("released", "released");
	expect(books.expected(ONE, ["B"], NOW)).toEqual({ on_hand: 10, reserved: 0, atp: 10 });

	books.granted(hold("sold", 3, 2));
	books.consumed("sold");
	books.consumed("sold");
	expect(books.expected(ONE, ["B", null], NOW)).toEqual({ on_hand: 10, reserved: 0, atp: 10 });
	expect(books.expected(ONE, [null], NOW).on_hand).toBe(3);

	books.reversed("sold");
	books.reversed("sold");
	expect(books.expected(ONE, ["B", null], NOW)).toEqual({ on_hand: 15, reserved: 0, atp: 15 });
});

test("a hold that the service calls expired is over, whatever the clock here says", () => {
	books.granted(hold("t", 4, 0));
	books.ended("t", "expired");
	expect(books.expected(ONE, ["B"], NOW).reserved).toBe(0);
});

test("promised units are reserved, also beyond the stock of their pool", () => {
	books.promised("f", "B", 12);
	expect(books.expected(ONE, ["B"], NOW)).toEqual({ on_hand: 10, reserved: 12, atp: 0 });
	expect(books.expected(ONE, ["B", null], NOW)).toEqual({ on_hand: 15, reserved: 12, atp: 3 });
});

test("packs and kits are counted whole, and may mix pools", () => {
	expect(books.expected(PACK, ["B"], NOW)).toEqual({ on_hand: 2, reserved: 0, atp: 2 });
	expect(books.expected(PACK, ["B", null], NOW)).toEqual({ on_hand: 3, reserved: 0, atp: 3 });
	expect(books.expected(KIT, ["B", null], NOW)).toEqual({ on_hand: 3, reserved: 0, atp: 3 });
	expect(books.expected(KIT, ["B"], NOW)).toEqual({ on_hand: 0, reserved: 0, atp: 0 });
	books.granted(hold("t", 10, 0));
	expect(books.expected(KIT, ["B", null], NOW)).toEqual({ on_hand: 3, reserved: 1, atp: 2 });
});
