import { expect, test } from "vitest";
import { customerOf } from "./addresses.ts";
import { kitsLeft } from "./order-file.ts";
import type { Lot } from "./stock.ts";
import { firstPartOf, RECALL_ROUNDS, recallsOf, workOf } from "./work.ts";

test("the same seed gives an order the same work, and most orders are shipped whole", () => {
	const refs = Array.from({ length: 1000 }, (_, i) => `sale-${i}`);
	expect(refs.map((ref) => workOf(1, ref))).toEqual(refs.map((ref) => workOf(1, ref)));
	const ways = refs.map((ref) => workOf(1, ref).way);
	expect(ways.filter((way) => way === "whole").length).toBeGreaterThan(700);
	expect(new Set(ways)).toEqual(new Set(["whole", "parts", "first part", "picked", "nothing"]));
});

test("the first of two boxes takes something and leaves something", () => {
	expect(firstPartOf([{ sku: "A", qty: 1 }])).toBeNull();
	expect(firstPartOf([{ sku: "A", qty: 5 }])).toEqual([{ sku: "A", qty: 2 }]);
	const lines = [
		{ sku: "A", qty: 2 },
		{ sku: "B", qty: 1 },
		{ sku: "A", qty: 3 },
	];
	const part = firstPartOf(lines) ?? [];
	expect(part).toEqual([{ sku: "A", qty: 5 }]);
	const left = kitsLeft({ lines, boxes: new Map([["b", new Map(part.map(({ sku, qty }) => [sku, qty]))]]) });
	expect([...left]).toEqual([["B", 1]]);
});

test("about one lot in a hundred is recalled, once, and none that is past its date", () => {
	const lots = Array.from(
		{ length: 10_000 },
		(_, i): Lot => ({
			formula: "F",
			brand_code: null,
			batch_number: `F-${i}`,
			units: 1,
		}),
	);
	const recalled = recallsOf({ lots, expired: new Set() }, 1).flat();
	expect(recalled.length).toBeGreaterThan(70);
	expect(recalled.length).toBeLessThan(130);
	expect(new Set(recalled).size).toBe(recalled.length);
	expect(recallsOf({ lots, expired: new Set(lots) }, 1)).toEqual(Array.from({ length: RECALL_ROUNDS }, () => []));
});

test("a customer has one address, a guest one for each invoice, and a state where the country needs one", () => {
	const of = (customer: string, number: string, country: string) => customerOf({ customer, number, country });
	expect(of("17850", "1", "France").ship_to).toEqual(of("17850", "2", "France").ship_to);
	expect(of("", "1", "France").ship_to).not.toEqual(of("", "2", "France").ship_to);
	expect(of("1", "1", "EIRE").ship_to.country).toBe("IE");
	expect(of("1", "1", "Australia").ship_to).toMatchObject({ country: "AU", state: "NSW" });
	expect(of("1", "1", "Atlantis").ship_to.country).toBe("GB");
});
