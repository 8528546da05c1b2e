import { type Cell, MAX_PRINTED_LENGTH, type Paper, printSheet, type Sheet, SIZES } from "./sheet.ts";

/** The contents of a packing slip. Characters missing in the font are printed as replacement characters. */
export interface PackingSlip {
	/** The sender on the first line; null: none. */
	readonly sender: string | null;
	/** The names of the orders in the box, as the tables of commands show them. */
	readonly order: string;
	/** What the code on the slip says: the name of the order, or of the first one in the box. */
	readonly scanned: string;
	/** When the order was placed, in epoch milliseconds; also the date of the document. */
	readonly placedAt: number;
	readonly shipTo: SlipAddress;
	readonly serviceLevel: string | null;
	readonly note: string | null;
	readonly items: readonly SlipItem[];
	readonly paper: Paper;
}

export interface SlipAddress {
	readonly name: string | null;
	readonly company: string | null;
	/** Street, house, floor; empty lines are left out. */
	readonly lines: readonly string[];
	readonly city: string;
	readonly state: string | null;
	readonly postalCode: string;
	readonly country: string;
}

export interface SlipItem {
	readonly sku: string;
	readonly name: string;
	readonly qty: number;
	readonly lots: readonly {
		readonly batchNumber: string;
		readonly units: number;
		/** YYYY-MM-DD, the last day of use; null: never expires. */
		readonly expiresOn: string | null;
	}[];
}

/* In points, 72 per inch. */
const QTY_WIDTH = 44;
const SKU_WIDTH = 150;
const GAP = 10;
/** Side of the code that a scanner reads: at arm's length, and small enough to stand above the address. */
const QR_SIZE = 64;
/** Height of a batch line with its spacing. */
const BATCH_HEIGHT = 14;
/** Maximum number of characters that are printed of an order's note. */
export const MAX_PRINTED_NOTE_LENGTH = 4 * MAX_PRINTED_LENGTH;

/** The packing slip as a PDF; the same slip always gives the same bytes. */
export const renderPackingSlip = (slip: PackingSlip): Promise<Buffer> =>
	printSheet(
		{ paper: slip.paper, title: `Packing slip ${slip.order}`, foot: slip.order, createdAt: slip.placedAt },
		(sheet) => {
			head(sheet, slip);
			for (const item of slip.items) itemRows(sheet, item);
			if (slip.items.length === 0) sheet.row([[0, "Nothing is packed."]]);
		},
	);

function head(sheet: Sheet, slip: PackingSlip): void {
	const { shipTo } = slip;
	sheet.qr(slip.scanned, QR_SIZE);
	const width = sheet.width - QR_SIZE - GAP;
	if (slip.sender !== null) sheet.row([[0, sheet.text(slip.sender), { grey: true, width }]]);
	sheet.row([[0, "Packing slip", { bold: true }]], SIZES.title, 10);
	const facts: [string, string | null][] = [
		["Order", slip.order],
		["Placed on", new Date(slip.placedAt).toISOString().slice(0, 10)],
		["Service", slip.serviceLevel],
	];
	const told = facts.flatMap(([label, text]) => (text === null ? [] : [`${label}: ${sheet.text(text)}`]));
	const place = [shipTo.city, shipTo.state, shipTo.postalCode].filter((part) => part !== null && part !== "").join(" ");
	const address = [shipTo.name, shipTo.company, ...shipTo.lines, place, shipTo.country]
		.filter((line) => line !== null)
		.map((line) => sheet.text(line))
		.filter((line) => line !== "");
	const half = (width - GAP) / 2;
	sheet.row([
		[0, "Ship to", { bold: true, width: half }],
		[half + GAP, "Order", { bold: true, width: half }],
	]);
	sheet.row(
		[
			[0, address.join("\n"), { width: half }],
			[half + GAP, told.join("\n"), { width: half }],
		],
		SIZES.body,
		10,
	);
	if (slip.note !== null) sheet.row([[0, `Note: ${sheet.text(slip.note, MAX_PRINTED_NOTE_LENGTH)}`]], SIZES.body, 10);
	const headings: Cell[] = [
		[0, "QTY", { width: QTY_WIDTH, grey: true }],
		[QTY_WIDTH + GAP, "SKU", { width: SKU_WIDTH, grey: true }],
		[QTY_WIDTH + SKU_WIDTH + 2 * GAP, "ITEM", { grey: true }],
	];
	sheet.row(headings, SIZES.small);
	sheet.rule();
	sheet.headings = headings;
}

function itemRows(sheet: Sheet, { sku, name, qty, lots }: SlipItem): void {
	const x = QTY_WIDTH + SKU_WIDTH + 2 * GAP;
	const cells: Cell[] = [
		[0, String(qty), { width: QTY_WIDTH, bold: true }],
		[QTY_WIDTH + GAP, sheet.text(sku), { width: SKU_WIDTH }],
		[x, sheet.text(name)],
	];
	sheet.row(cells, SIZES.body, 3, lots.length > 0 ? BATCH_HEIGHT : 0);
	for (const { batchNumber, units, expiresOn } of lots) {
		const use = expiresOn === null ? "" : `, use by ${expiresOn}`;
		const text = `Batch ${sheet.text(batchNumber)}: ${units} ${units === 1 ? "unit" : "units"}${use}`;
		sheet.row([[x, text, { grey: true }]], SIZES.small);
	}
	sheet.y += 3;
}
