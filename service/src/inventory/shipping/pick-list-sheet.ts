import type { PickList, PickStop } from "./pick-list.ts";
import { type Cell, type Paper, printSheet, type Sheet, SIZES } from "./sheet.ts";

/* In points, 72 per inch. */
const DONE_WIDTH = 30;
const WHERE_WIDTH = 90;
const UNITS_WIDTH = 40;
const GAP = 10;
/** Height of a line of orders with its spacing. */
const ORDERS_HEIGHT = 14;

/** A pick list as a PDF, with a box to tick at each stop. `at`: when it was asked for, in epoch milliseconds. */
export const renderPickList = (list: PickList, { at, paper }: { at: number; paper: Paper }): Promise<Buffer> => {
	const title = `Pick list: ${list.units} units for ${list.orders} orders`;
	return printSheet({ paper, title, foot: title, createdAt: at }, (sheet) => {
		sheet.row([[0, title, { bold: true }]], SIZES.title, 10);
		const headings = rowOf("", "WHERE", "UNITS", "WHAT", "grey");
		sheet.row(headings, SIZES.small);
		sheet.rule();
		sheet.headings = headings;
		for (const stop of list.stops) stopRows(sheet, stop);
		if (list.stops.length === 0) sheet.row([[0, "There is nothing to pick."]]);
	});
};

const WHAT = DONE_WIDTH + WHERE_WIDTH + UNITS_WIDTH + 3 * GAP;

function rowOf(done: string, where: string, units: string, what: string, style: "grey" | "bold"): Cell[] {
	const look = style === "grey" ? ({ grey: true } as const) : ({ bold: true } as const);
	return [
		[0, done, { width: DONE_WIDTH, ...look }],
		[DONE_WIDTH + GAP, where, { width: WHERE_WIDTH, ...look }],
		[DONE_WIDTH + WHERE_WIDTH + 2 * GAP, units, { width: UNITS_WIDTH, ...look }],
		[WHAT, what, look],
	];
}

function stopRows(sheet: Sheet, { location, formula, batchNumber, expiresOn, units, orders }: PickStop): void {
	const use = expiresOn === null ? "" : `, use by ${expiresOn}`;
	const what = `${sheet.text(formula)}, batch ${sheet.text(batchNumber)}${use}`;
	const where = location === null ? "no location" : sheet.text(location);
	sheet.row(rowOf("[  ]", where, String(units), what, "bold"), SIZES.body, 3, ORDERS_HEIGHT);
	const each = orders.map((order) => `${sheet.text(order.externalOrderId ?? order.ref)}: ${order.units}`);
	sheet.row([[WHAT, each.join(", "), { grey: true }]], SIZES.small, 6);
}
