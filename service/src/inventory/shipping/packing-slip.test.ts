import { describe, expect, it } from "vitest";
import { readPdf } from "../../../test/read-pdf.ts";
import { type PackingSlip, renderPackingSlip } from "./packing-slip.ts";
import { MAX_PRINTED_LENGTH, printable } from "./sheet.ts";

const slip = (rest: Partial<PackingSlip> = {}): PackingSlip => ({
	sender: "Acme Health",
	order: "#1001",
	scanned: "#1001",
	placedAt: Date.UTC(2026, 10, 22, 9),
	shipTo: {
		name: "Zoë Müller-Ó Briain",
		company: null,
		lines: ["12 Main St", "", "Apt 4"],
		city: "Łódź",
		state: null,
		postalCode: "90-001",
		country: "PL",
	},
	serviceLevel: "expedited",
	note: "Leave at the door.",
	items: [
		{
			sku: "EVENING",
			name: "Evening set",
			qty: 2,
			lots: [
				{
					batchNumber: "C-2609",
					units: 2,
					expiresOn: "2028-09-30",
				},
				{
					batchNumber: "D-1",
					units: 1,
					expiresOn: null,
				},
			],
		},
	],
	paper: "A4",
	...rest,
});
const read = async (rest: Partial<PackingSlip> = {}) =>
	readPdf(await renderPackingSlip(slip(rest))).pages.map((texts) => texts.join("\n"));

describe("A packing slip", () => {
	it("says what is in the box, for whom, and from which batches", async () => {
		const [page = "", ...more] = await read();
		expect(more).toEqual([]);
		for (const text of [
			"Acme Health",
			"Packing slip",
			"Order: #1001",
			"Placed on: 2026-11-22",
			"Service: expedited",
			"Zoë Müller-Ó Briain",
			"12 Main St\nApt 4\nŁódź 90-001\nPL",
			"Note: Leave at the door.",
			"EVENING",
			"Evening set",
			"Batch C-2609: 2 units, use by 2028-09-30",
			"Batch D-1: 1 unit\n",
			"Page 1 of 1",
		])
			expect(page).toContain(text);
	});

	it("goes on over as many pages as it takes, each with its headings and its number, and nothing is left out", async () => {
		const items = Array.from({ length: 120 }, (_, n) => ({
			sku: `SKU-${n}`,
			name: `Item ${n}`,
			qty: n + 1,
			lots: [
				{
					batchNumber: `LOT-${n}`,
					units: n + 1,
					expiresOn: null,
				},
			],
		}));
		const pages = await read({ items });
		expect(pages.length).toBeGreaterThan(2);
		for (const [index, page] of pages.entries()) {
			expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
			expect(page).toMatch(/QTY\nSKU\nITEM/);
		}
		const all = pages.join("\n").split("\n");
		for (const { sku } of items) expect(all.filter((line) => line === sku)).toHaveLength(1);
		expect(all.filter((line) => line.startsWith("Batch LOT-"))).toHaveLength(120);
	});

	it("is the same bytes for the same slip, and other bytes for another", async () => {
		const [a, b, c] = await Promise.all([slip(), slip(), slip({ order: "#1002" })].map(renderPackingSlip));
		expect(a?.equals(b as Buffer)).toBe(true);
		expect(a?.equals(c as Buffer)).toBe(false);
		expect(a?.subarray(0, 5).toString()).toBe("%PDF-");
		expect(a?.subarray(-6).toString()).toContain("%%EOF");
	});

	it("stays a document of some tens of kilobytes: only the characters it needs are embedded", async () => {
		const { length } = await renderPackingSlip(slip());
		expect(length).toBeGreaterThan(5_000);
		expect(length).toBeLessThan(60_000);
	});

	it.for([
		["Greek", "Αθήνα Παπαδοπούλου"],
		["Cyrillic", "Київ Олександр"],
		["Vietnamese", "Nguyễn Thị Ánh"],
		["Armenian", "Երևան"],
		["Georgian", "თბილისი"],
	] as const)("prints %s", async ([, name]) => {
		const [page] = await read({ shipTo: { ...slip().shipTo, name } });
		expect(page).toContain(name);
	});

	it.for([
		["Chinese", "王小明", "\ufffd\ufffd\ufffd"],
		["Devanagari", "नमस्ते A", "\ufffd\ufffd\ufffd A"],
		["an emoji of several characters", "A 👩‍👩‍👧 B", "A \ufffd B"],
		["half a character", "A\ud800B", "A\ufffdB"],
		["controls and directions", "A\u0000\u202eB\tC", "A B C"],
	] as const)("prints a replacement for what the font lacks: %s", async ([, name, printed]) => {
		const [page] = await read({ shipTo: { ...slip().shipTo, name }, sender: name });
		expect(page).toMatch(printed);
	});

	it("is not broken by texts without end or without a place to break, by right-to-left names, or by nothing at all", async () => {
		const endless = "W".repeat(20_000);
		const items = [{ sku: endless, name: "x ".repeat(20_000), qty: 1, lots: [] }];
		const pages = await read({ items, note: endless, order: endless, sender: endless });
		expect(pages.length).toBeLessThan(6);
		expect(pages.at(-1)).toContain(`of ${pages.length}`);
		for (const name of ["שלום עולם", "مرحبا بالعالم"])
			expect(await read({ shipTo: { ...slip().shipTo, name } })).toHaveLength(1);
		const bare = { name: null, company: null, lines: [], city: "", state: null, postalCode: "", country: "" };
		const [empty] = await read({
			sender: null,
			serviceLevel: null,
			note: null,
			items: [],
			shipTo: bare,
			paper: "LETTER",
		});
		expect(empty).toContain("Nothing is packed.");
	});
});

describe("A text to be printed", () => {
	const all = (): boolean => true;
	it("is composed, on one line, and cut where a reader would", () => {
		expect(printable("  a\u0308\n b ", all)).toBe("ä b");
		expect(printable("é".repeat(600), all)).toHaveLength(MAX_PRINTED_LENGTH);
		expect(printable("ab👩‍👧cd", all, 4)).toBe("ab👩‍👧…");
	});
});
