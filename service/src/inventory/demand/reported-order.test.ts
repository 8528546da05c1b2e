import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unreported } from "../../../test/unreported.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { wrongReport } from "./report.ts";
import { type ReportedOrder, withCancelled, withOpen, withShipped } from "./reported-order.ts";

const name = { source: "label", reference: "1001" };
const at = (n: number): Date => new Date(Date.UTC(2026, 10, 1, 0, n));
const lines = (kits: Record<string, number>) => Object.entries(kits).map(([sku, qty]) => ({ sku, qty }));
const open =
	(n: number, kits: Record<string, number>, store = "S") =>
	(order: ReportedOrder) =>
		withOpen(order, { ...name, store, modifiedAt: at(n), lines: lines(kits) });
const shipped =
	(n: number, kits: Record<string, number>, store: string | null = null) =>
	(order: ReportedOrder) =>
		withShipped(order, { ...name, store, shippedAt: at(n), lines: lines(kits) });
const cancelled = (n: number) => (order: ReportedOrder) => withCancelled(order, { ...name, modifiedAt: at(n) });
const after = (...reports: ((order: ReportedOrder) => ReportedOrder)[]): ReportedOrder =>
	reports.reduce((order, report) => report(order), unreported("label", "label:1001"));
const told = ({ status, store, lines: of }: ReportedOrder): string =>
	[status, store, ...of.map(({ sku, orderedQty, shippedQty }) => `${sku} ${shippedQty}/${orderedQty}`)].join(" ");

describe("Reports of an order", () => {
	it("say what is ordered, what of it was shipped, and that nothing more will be", () => {
		expect(told(after(open(1, { A: 3, B: 1 })))).toBe("open S A 0/3 B 0/1");
		expect(told(after(open(1, { A: 3, B: 1 }), shipped(2, { A: 2 })))).toBe("open S A 2/3 B 0/1");
		expect(told(after(open(1, { A: 3, B: 1 }), shipped(2, { A: 2 }), cancelled(3)))).toBe("cancelled S A 2/0");
		expect(told(after(open(1, { A: 3 }), open(2, { B: 1 })))).toBe("open S B 0/1");
		expect(told(after(cancelled(1), open(2, { A: 1 })))).toBe("open S A 0/1");
	});

	it("count lines of one SKU together, and lines of nothing not at all", () => {
		const twice = [...lines({ A: 2 }), ...lines({ A: 3, Z: 0 })];
		expect(told(withOpen(after(), { ...name, store: "S", modifiedAt: at(1), lines: twice }))).toBe("open S A 0/5");
	});

	it("change nothing when they come twice, or an older one after a newer one", () => {
		const order = after(open(2, { A: 3 }), shipped(4, { A: 2 }));
		for (const report of [
			open(2, { A: 3 }),
			open(1, { A: 9, C: 1 }),
			cancelled(1),
			shipped(4, { A: 2 }),
			shipped(3, { A: 1 }),
		])
			expect(report(order)).toBe(order);
		const gone = after(open(1, { A: 3 }), cancelled(2));
		for (const report of [open(1, { A: 3 }), cancelled(2)]) expect(report(gone)).toBe(gone);
		expect(told(open(2, { A: 3 })(gone))).toBe(told(gone));
	});

	it("come to the same in any order and any repetition", () => {
		const kits = fc.dictionary(fc.constantFrom("A", "B", "C"), fc.integer({ min: 0, max: 5 }), {
			noNullPrototype: true,
		});
		const reports = fc.uniqueArray(
			fc.record({ n: fc.integer({ min: 0, max: 30 }), what: fc.constantFrom("open", "shipped", "cancelled"), kits }),
			{ selector: ({ n }) => n, minLength: 1, maxLength: 6 }, // a platform's clock gives two changes different times
		);
		fc.assert(
			fc.property(reports, fc.infiniteStream(fc.nat()), (some, random) => {
				const steps = some.map(({ n, what, kits: of }) =>
					what === "open" ? open(n, of, `S${n % 3}`) : what === "shipped" ? shipped(n, of) : cancelled(n),
				);
				const inOrder = steps.toSorted((a, b) => steps.indexOf(a) - steps.indexOf(b));
				const again = [...steps, ...steps].map((step) => ({ step, key: must(random.next().value, "a number") }));
				const shuffled = again.sort((a, b) => a.key - b.key).map(({ step }) => step);
				expect(after(...shuffled)).toEqual(after(...inOrder));
			}),
		);
	});
});

describe("A report that cannot be", () => {
	it.for([
		["a source that is no word", { ...name, source: "Label:1" }, [], "S"],
		["no reference", { ...name, reference: "" }, [], "S"],
		["a store that cannot be stored", name, [], "a\u0000"],
		["a SKU that is half a character", name, [{ sku: "\ud800", qty: 1 }], "S"],
		["half a kit", name, [{ sku: "A", qty: 0.5 }], "S"],
		["fewer than no kits", name, [{ sku: "A", qty: -1 }], "S"],
		[
			"a million and one kits, in two lines",
			name,
			[
				{ sku: "A", qty: 1_000_000 },
				{ sku: "A", qty: 1 },
			],
			"S",
		],
	] as const)("is refused: %s", ([, order, of, store]) => {
		expect(isRefusal(wrongReport(order, of, store))).toBe(true);
	});

	it("is none that is as it should be", () => {
		expect(
			wrongReport(
				name,
				[
					{ sku: "A", qty: 1_000_000 },
					{ sku: "B", qty: 0 },
				],
				null,
			),
		).toBeNull();
	});
});
