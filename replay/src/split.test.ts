import { expect, test } from "vitest";
import { MAX_LINES, MAX_QTY, split, within } from "./split.ts";

test("an order within the limits stays one reserve", () => {
	const lines = [
		{ sku: "A", qty: 1 },
		{ sku: "A", qty: MAX_QTY },
	];
	expect(split(lines)).toEqual([lines]);
	expect(split([])).toEqual([]);
});

test("a quantity over the limit becomes several lines of the same SKU that add up to it", () => {
	const [lines] = split([{ sku: "A", qty: 74_215 }]);
	expect(lines).toHaveLength(8);
	expect(lines?.every((line) => line.sku === "A" && line.qty <= MAX_QTY)).toBe(true);
	expect(lines?.reduce((sum, line) => sum + line.qty, 0)).toBe(74_215);
});

test("an order of more lines than a reserve takes is cut, in order, and nothing is lost", () => {
	const lines = Array.from({ length: 675 }, (_, i) => ({ sku: `S${i}`, qty: i + 1 }));
	const parts = split(lines);
	expect(parts.map((part) => part.length)).toEqual([100, 100, 100, 100, 100, 100, 75]);
	expect(parts.flat()).toEqual(lines);
	expect(MAX_LINES).toBe(100);
});

test("lines are cut to what may be reserved, summed over lines of one SKU", () => {
	const lines = [
		{ sku: "A", qty: 4 },
		{ sku: "B", qty: 2 },
		{ sku: "A", qty: 4 },
		{ sku: "C", qty: 1 },
	];
	const atp = new Map([
		["A", 5],
		["B", 9],
	]);
	expect(within(lines, atp)).toEqual([
		{ sku: "A", qty: 4 },
		{ sku: "B", qty: 2 },
		{ sku: "A", qty: 1 },
	]);
});
