import { expect, it } from "vitest";
import type { ImportReport } from "./apply-world.ts";
import { boundedReport } from "./bounded-report.ts";

const lot = (n: number, quarantined = false) => ({
	formula: "F",
	brand_code: null,
	batch_number: `B${n}`,
	fg_id: null,
	quarantined,
});
const counts = {} as ImportReport["created"];
const reportOf = (lots: ImportReport["lots"]): ImportReport => ({
	dry_run: false,
	created: counts,
	changed: counts,
	unchanged: counts,
	changes: [],
	formulas: [{ code: "F", formula_id: "f" }],
	lots,
	keys: [],
});

it("A report that fits is stored as it is", () => {
	const report = reportOf([lot(1), lot(2, true)]);
	expect(boundedReport(report)).toBe(report);
});

it("Of a report that is too large, what does not fit is counted, and lots in quarantine come first", () => {
	const lots = Array.from({ length: 100 }, (_, n) => lot(n, n === 98));
	const bounded = boundedReport(reportOf(lots), 1_000);
	expect(bounded.lots[0]).toEqual(lot(98, true));
	expect(bounded.lots.length).toBeGreaterThan(5);
	expect(bounded.lots.length + (bounded.left_out ?? 0)).toBe(100);
	expect(JSON.stringify(bounded.lots).length).toBeLessThan(1_200);
});
