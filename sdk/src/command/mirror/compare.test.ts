import { describe, expect, it } from "vitest";
import type { Count } from "../../client/count.ts";
import { compareCertificates, compareCounts, inWords } from "./compare.ts";
import type { Shown } from "./read-shown.ts";

const shown = (shownQty: number | null, some: Partial<Shown> = {}): Shown => ({
	sku: "A",
	shownQty,
	hidden: false,
	coaUrl: undefined,
	...some,
});
const HIDDEN = { hidden: true };
const known = (qty: number): Count => ({ kind: "known", qty });
const UNKNOWN: Count = { kind: "unknown", why: "unknown_sku", since: new Date(0) };
const UNTRACKED: Count = { kind: "untracked" };

describe("A number that is shown", () => {
	it.each([
		[shown(3), known(3)],
		[shown(0), known(0)],
		[shown(null, HIDDEN), known(0)],
		[shown(7, HIDDEN), known(0)],
		[shown(null), UNKNOWN],
		[shown(0, HIDDEN), UNKNOWN],
		[shown(null), UNTRACKED],
	])("is equal: %j of %j", (item, count) => {
		expect(compareCounts([item], [count])).toEqual([]);
	});

	it.each([
		[shown(3), known(4), "Show the service's number.", ["3", "4"]],
		[shown(0), known(4), "Show the service's number.", ["0", "4"]],
		[shown(null), known(0), "It shows no number", ["no number", "0"]],
		[shown(3, HIDDEN), known(3), "It is hidden, and 3 are available", ["hidden", "3"]],
		[shown(0), UNKNOWN, "show no number, not even 0", ["0", "unknown SKU"]],
		[shown(1), UNTRACKED, "not physical", ["1", "not physical"]],
	])("differs: %j of %j", (item, count, words, cells) => {
		const [difference] = compareCounts([item], [count]);
		expect(difference).toMatchObject({ about: "count", sku: "A", count, says: expect.stringContaining(words) });
		expect(difference && inWords(difference)).toEqual(cells);
	});

	it("is compared with the count of its own line, also where a SKU is listed twice", () => {
		const items = [shown(1), shown(2), shown(3, { sku: "B" })];
		expect(compareCounts(items, [known(1), known(1), known(3)])).toMatchObject([{ sku: "A", shownQty: 2 }]);
	});
});

describe("A certificate that is linked", () => {
	const CURRENT = new Map([
		["A", ["https://coa/1", "https://coa/2"]],
		["B", []],
	]);

	it.each([
		{ coaUrl: "https://coa/2" },
		{ coaUrl: null, hidden: true },
		{ sku: "B", coaUrl: null },
		{ sku: "C", coaUrl: null },
	])("is equal: %j", (some) => {
		expect(compareCertificates([shown(1, some)], CURRENT)).toEqual([]);
	});

	it.each([
		[{ coaUrl: null }, "It links to no certificate", ["none", "https://coa/1"]],
		[{ coaUrl: "https://coa/old" }, "remove the link", ["https://coa/old", "https://coa/1"]],
		[{ coaUrl: "https://coa/old", hidden: true }, "remove the link", ["https://coa/old", "https://coa/1"]],
		[{ sku: "B", coaUrl: "https://coa/1" }, "remove the link", ["https://coa/1", "none"]],
		[{ sku: "C", coaUrl: "https://coa/1" }, "remove the link", ["https://coa/1", "none"]],
	])("differs: %j", (some, words, cells) => {
		const [difference] = compareCertificates([shown(1, some)], CURRENT);
		expect(difference).toMatchObject({ about: "certificate", says: expect.stringContaining(words) });
		expect(difference && inWords(difference)).toEqual(cells);
	});
});
