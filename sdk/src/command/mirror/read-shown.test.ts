import { describe, expect, it } from "vitest";
import { readShown, type Shown } from "./read-shown.ts";

const item = (sku: string, shownQty: number | null, some: Partial<Shown> = {}): Shown => ({
	sku,
	shownQty,
	hidden: false,
	coaUrl: undefined,
	...some,
});

describe("What a site shows is read, and no number is never 0", () => {
	it.each([
		["sku,shown_qty\nA,3\nB,\nC,0", [item("A", 3), item("B", null), item("C", 0)]],
		["sku,qty\nA,3", [item("A", 3)]],
		["qty,shown_qty,sku\n9,3,A", [item("A", 3)]],
		[" SKU ; Shown_Qty ; hidden ; name\r\nA ; ; TRUE ; x", [item("A", null, { hidden: true })]],
		['"sku","qty"\n"A, B","3"', [item("A, B", 3)]],
		[
			'{"items":[{"sku":"A","shown_qty":3,"hidden":false,"coa_url":"https://x"}]}',
			[item("A", 3, { coaUrl: "https://x" })],
		],
		['\uFEFF {"items":[{"sku":"A"}],"more":1}', [item("A", null)]],
		[
			'{"items":[{"sku":"A","shown_qty":null,"hidden":true,"coa_url":""}]}',
			[item("A", null, { hidden: true, coaUrl: null })],
		],
		['{"items":[{"sku":"A","shown_qty":0,"coa_url":null,"extra":true}]}', [item("A", 0, { coaUrl: null })]],
	])("%j", (text, items) => {
		expect(readShown(text)).toEqual({ items });
	});

	it.each([
		["", ["line 1: expected the columns sku and shown_qty (or qty)."]],
		["sku\nA", ["line 1: expected the columns sku and shown_qty (or qty)."]],
		["sku,qty\n", ["It lists no SKU, so there is nothing to compare."]],
		[
			"sku,qty\nA,many\n,3\nC,-1\nD,1.5",
			[/^line 2, quantity: "many"/, /^line 3, sku/, /^line 4, quantity/, /^line 5, quantity/],
		],
		["sku,qty,hidden\nA,1,perhaps", [/^line 2, hidden/]],
		['sku,qty\n"A,1', [/^line 2: a cell begins with a quotation mark/]],
		['{"items":', [/^It is not JSON/]],
		["[]", ["/items: expected an array."]],
		['{"items":[]}', ["It lists no SKU, so there is nothing to compare."]],
		[
			'{"items":[null,{"sku":""},{"sku":"A","shown_qty":"3"},{"sku":"A","hidden":1},{"sku":"A","coa_url":1},{"sku":"A","shown_qty":-1}]}',
			[
				/^\/items\/0\/sku/,
				/^\/items\/1\/sku/,
				/^\/items\/2\/shown_qty/,
				/^\/items\/3\/hidden/,
				/^\/items\/4\/coa_url/,
				/^\/items\/5\/shown_qty/,
			],
		],
	])("%j is refused with every reason", (text, problems) => {
		expect(readShown(text)).toEqual({
			problems: problems.map((one) => (typeof one === "string" ? one : expect.stringMatching(one))),
		});
	});
});
