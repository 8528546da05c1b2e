import { describe, expect, it } from "vitest";
import { readShown } from "./shown-document.ts";

const shown = (...items: readonly unknown[]) => readShown(200, JSON.stringify({ items }));

describe("The document of a status address", () => {
	it("is read, whatever else it has", () => {
		const text = JSON.stringify({
			at: "now",
			items: [
				{ sku: "SBX-LOW", shown_qty: 3, hidden: false, coa_url: "https://coa.example.com/coa/file/a/b", more: 1 },
				{ sku: "SBX-OUT", shown_qty: null, hidden: true, coa_url: null },
				{ sku: "SBX-FEE" },
			],
		});
		expect(readShown(200, text)).toEqual({
			items: [
				{ sku: "SBX-LOW", shownQty: 3, hidden: false, coaUrl: "https://coa.example.com/coa/file/a/b" },
				{ sku: "SBX-OUT", shownQty: null, hidden: true, coaUrl: null },
				{ sku: "SBX-FEE", shownQty: null, hidden: false, coaUrl: null },
			],
		});
	});

	it.each([
		["another status", readShown(302, "{}"), /answered 302/],
		["no JSON", readShown(200, '{"items": ['), /not JSON/],
		["no items", readShown(200, '{"items": {}}'), /^\/items: expected an array/],
		["too many items", shown(...Array.from({ length: 501 }, () => ({ sku: "A" }))), /at most 500/],
		["an item without a SKU", shown({ sku: "A" }, { shown_qty: 1 }), /^\/items\/1\/sku/],
		["a SKU that cannot be stored", shown({ sku: "A\0" }), /^\/items\/0\/sku/],
		["a part of a unit", shown({ sku: "A", shown_qty: 0.5 }), /^\/items\/0\/shown_qty/],
		["a number as a text", shown({ sku: "A", shown_qty: "3" }), /^\/items\/0\/shown_qty/],
		["a word for hidden", shown({ sku: "A", hidden: "no" }), /^\/items\/0\/hidden/],
		["an address that is none", shown({ sku: "A", coa_url: 7 }), /^\/items\/0\/coa_url/],
	])("with %s is a problem, in words", (_what, read, words) => {
		expect(read).toEqual({ problem: expect.stringMatching(words) });
	});
});
