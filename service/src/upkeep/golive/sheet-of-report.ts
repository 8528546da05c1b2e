import { printSheet, type Sheet, SIZES } from "../../inventory/shipping/sheet.ts";
import type { FiledReport } from "./read-report.ts";
import { factsOf, notesOf, titleOf } from "./words-of-report.ts";

/* In points, 72 per inch. */
const NAME_WIDTH = 90;
const GAP = 10;
/** Height that a heading needs below it, so that it is never alone at the foot of a page. */
const KEEP_BELOW = 40;
/** Maximum characters printed of what a check says. */
const MAX_NOTE = 2_000;

/** A report as a PDF. */
export const renderReport = (report: FiledReport): Promise<Buffer> => {
	const title = titleOf(report);
	const foot = `${title}, digest ${report.digest.slice(0, 16)}`;
	return printSheet({ paper: "A4", title, foot, createdAt: Date.parse(report.as_of) }, (sheet) => {
		sheet.row([[0, sheet.text(title), { bold: true }]], SIZES.title, 6);
		sheet.row([[0, sheet.text(report.line), { bold: true }]], SIZES.body, 8);
		for (const [name, value] of factsOf(report)) {
			sheet.row(
				[
					[0, name, { width: NAME_WIDTH, grey: true }],
					[NAME_WIDTH + GAP, sheet.text(value, MAX_NOTE)],
				],
				SIZES.small,
			);
		}
		for (const check of report.checks) checkRows(sheet, check);
	});
};

function checkRows(sheet: Sheet, check: FiledReport["checks"][number]): void {
	sheet.y += GAP;
	sheet.row([[0, `${check.title}: ${check.verdict}`, { bold: true }]], SIZES.body, 2, KEEP_BELOW);
	sheet.row([[0, check.passed_when, { grey: true }]], SIZES.small);
	for (const note of notesOf(check)) sheet.row([[0, sheet.text(note, MAX_NOTE)]], SIZES.small);
	if (check.evidence.length === 0) return;
	sheet.row([[0, sheet.text(check.evidence.join(", "), MAX_NOTE), { grey: true }]], SIZES.small);
}
