import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The contents of a packing slip. Characters missing in the font are printed as replacement characters. */
export interface PackingSlip {
	/** The sender on the first line; null: none. */
	readonly sender: string | null;
	/** The names of the orders in the box, as the tables of commands show them. */
	readonly order: string;
	/** When the order was placed, in epoch milliseconds; also the date of the document. */
	readonly placedAt: number;
	readonly shipTo: SlipAddress;
	readonly serviceLevel: string | null;
	readonly note: string | null;
	readonly items: readonly SlipItem[];
	readonly paper: "A4" | "LETTER";
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
const MARGIN = 48;
const FOOTER = 28;
const QTY_WIDTH = 44;
const SKU_WIDTH = 150;
const GAP = 10;
/** Height of a batch line with its spacing. */
const BATCH_HEIGHT = 14;
const INK = "#111111";
const GREY = "#666666";
const SIZES = { title: 16, body: 9.5, small: 8 } as const;

/** The packing slip as a PDF; the same slip always gives the same bytes. */
export async function renderPackingSlip(slip: PackingSlip): Promise<Buffer> {
	const { default: PDFDocument } = await import("pdfkit"); // it is slow to load, and few processes draw
	const doc = new PDFDocument({
		size: slip.paper,
		// page breaks are decided here, not by the library
		margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: 0 },
		bufferPages: true,
		info: {
			Title: `Packing slip ${slip.order.toWellFormed()}`,
			Producer: "Holdfast",
			Creator: "Holdfast",
			CreationDate: new Date(slip.placedAt),
		},
	});
	const chunks: Buffer[] = [];
	doc.on("data", (chunk: Buffer) => chunks.push(chunk));
	const ended = new Promise<void>((resolve, reject) => doc.once("end", resolve).once("error", reject));
	for (const [name, file] of Object.entries(fonts())) doc.registerFont(name, file);
	const sheet = new Sheet(doc);
	head(sheet, slip);
	for (const item of slip.items) itemRows(sheet, item);
	if (slip.items.length === 0) sheet.row([[0, "Nothing is packed."]]);
	feet(sheet, slip.order);
	doc.end();
	await ended;
	return Buffer.concat(chunks);
}

let loaded: { readonly body: Buffer; readonly bold: Buffer } | undefined;
/** Cached, because they are 1.4 MB. */
const fonts = (): { readonly body: Buffer; readonly bold: Buffer } => {
	loaded ??= {
		body: readFileSync(fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"))),
		bold: readFileSync(fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"))),
	};
	return loaded;
};

type Cell = readonly [
	x: number,
	text: string,
	style?: { readonly width?: number; readonly bold?: true; readonly grey?: true },
];

/** Fills pages from the top and adds one when needed. */
class Sheet {
	readonly doc: PDFKit.PDFDocument;
	readonly width: number;
	readonly #bottom: number;
	readonly #prints: (codePoint: number) => boolean;
	/** Repeated at the top of every page after the first. */
	headings: readonly Cell[] = [];
	y = MARGIN;

	constructor(doc: PDFKit.PDFDocument) {
		this.doc = doc;
		this.width = doc.page.width - 2 * MARGIN;
		this.#bottom = doc.page.height - MARGIN - FOOTER;
		// the library has no public method for this
		const { _font } = doc.font("body") as unknown as {
			_font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } };
		};
		this.#prints = (codePoint) => _font.font.hasGlyphForCodePoint(codePoint);
	}

	text(text: string, most?: number): string {
		return printable(text, this.#prints, most);
	}

	/**
	 * Prints cells side by side; the tallest decides the row's height. A row is never split between pages. `keep`: the
	 * height below it that must fit on the same page.
	 */
	row(cells: readonly Cell[], size: number = SIZES.body, after = 3, keep = 0): void {
		const { doc } = this;
		const laid = cells.map(([x, text, { width = this.width - x, bold, grey } = {}]) => {
			doc.font(bold ? "bold" : "body").fontSize(size);
			return { x, text, width, bold, grey, height: doc.heightOfString(text === "" ? " " : text, { width }) };
		});
		const height = Math.max(...laid.map((cell) => cell.height));
		if (this.y + height + keep > this.#bottom) this.#turn();
		for (const { x, text, width, bold, grey } of laid) {
			doc.font(bold ? "bold" : "body").fontSize(size);
			doc.fillColor(grey ? GREY : INK).text(text, MARGIN + x, this.y, { width });
		}
		this.y += height + after;
	}

	rule(): void {
		this.doc
			.moveTo(MARGIN, this.y)
			.lineTo(MARGIN + this.width, this.y)
			.lineWidth(0.5)
			.strokeColor(GREY)
			.stroke();
		this.y += 4;
	}

	#turn(): void {
		this.doc.addPage();
		this.y = MARGIN;
		const { headings } = this;
		if (headings.length === 0) return;
		this.row(headings, SIZES.small);
		this.rule();
	}
}

function head(sheet: Sheet, slip: PackingSlip): void {
	const { shipTo } = slip;
	if (slip.sender !== null) sheet.row([[0, sheet.text(slip.sender), { grey: true }]]);
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
	const half = (sheet.width - GAP) / 2;
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

/** Printed last, when the number of pages is known. */
function feet(sheet: Sheet, order: string): void {
	const { doc } = sheet;
	const { count } = doc.bufferedPageRange();
	for (let page = 0; page < count; page++) {
		doc.switchToPage(page);
		const y = doc.page.height - MARGIN;
		doc.font("body").fontSize(SIZES.small).fillColor(GREY);
		const options = { width: sheet.width, lineBreak: false } as const;
		doc.text(sheet.text(order, 60), MARGIN, y, { ...options, align: "left" });
		doc.text(`Page ${page + 1} of ${count}`, MARGIN, y, { ...options, align: "right" });
	}
}

/** Maximum characters printed of a text; more would leave no room for the rest. */
export const MAX_PRINTED_LENGTH = 500;
/** The same for the note of an order. */
export const MAX_PRINTED_NOTE_LENGTH = 2_000;

/** Printed for a character that the font lacks. */
const REPLACEMENT = "\ufffd";
/** Invisible characters that are dropped: directions, variation selectors, break opportunities. */
const SILENT = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Variation_Selector}/gu;

/**
 * A text prepared for printing: composed, with single spaces, cut to length, and with characters that the font lacks
 * (according to `prints`) replaced, one replacement per visible character. Pure.
 */
export function printable(text: string, prints: (codePoint: number) => boolean, most = MAX_PRINTED_LENGTH): string {
	const plain = text
		.toWellFormed()
		.normalize("NFC")
		.replace(SILENT, "")
		.replace(/[\s\p{Cc}]+/gu, " ")
		.trim();
	const characters = [...graphemes.segment(plain)].map(({ segment }) => segment);
	const cut = characters.length > most ? [...characters.slice(0, most - 1), "…"] : characters;
	return cut
		.map((character) => ([...character].every((one) => prints(one.codePointAt(0) ?? 0)) ? character : REPLACEMENT))
		.join("");
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
