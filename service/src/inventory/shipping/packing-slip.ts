import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import PDFDocument from "pdfkit";

/** What a packing slip says. Texts may be in any script; those the font lacks are printed as replacement characters. */
export interface PackingSlip {
	/** Who sends, as the first line; null: nobody is named. */
	readonly sender: string | null;
	/** The ids of the orders in the box, as every list and command of the warehouse names them. */
	readonly orderIds: readonly string[];
	/** The partner's reference of the order. */
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** When the order was placed: epoch milliseconds. It dates the document, too. */
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
	/** Street, house, floor; empty ones are left out. */
	readonly lines: readonly string[];
	readonly city: string;
	readonly state: string | null;
	readonly postalCode: string;
	readonly country: string;
}

export interface SlipItem {
	readonly sku: string;
	readonly name: string;
	/** Kits. */
	readonly qty: number;
	readonly lots: readonly {
		readonly batchNumber: string;
		readonly units: number;
		/** YYYY-MM-DD, the last day of use; null: never. */
		readonly expiresOn: string | null;
	}[];
}

/* In points, 72 to the inch. */
const MARGIN = 48;
const FOOTER = 28;
const QTY_WIDTH = 44;
const SKU_WIDTH = 150;
const GAP = 10;
/** A line with a batch and what stands above it. */
const BATCH_HEIGHT = 14;
const INK = "#111111";
const GREY = "#666666";
const SIZES = { title: 16, body: 9.5, small: 8 } as const;

/** The packing slip as a PDF. The same slip is always the same bytes. */
export async function renderPackingSlip(slip: PackingSlip): Promise<Buffer> {
	const doc = new PDFDocument({
		size: slip.paper,
		margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: 0 }, // what breaks is broken here, not by the library
		bufferPages: true,
		info: {
			Title: `Packing slip ${slip.ref.toWellFormed()}`,
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
	feet(sheet, slip.ref);
	doc.end();
	await ended;
	return Buffer.concat(chunks);
}

let loaded: { readonly body: Buffer; readonly bold: Buffer } | undefined;
/** Read once: 1.4 MB. */
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

/** A page that is filled from the top, and another when it is full. */
class Sheet {
	readonly doc: PDFKit.PDFDocument;
	readonly width: number;
	readonly #bottom: number;
	readonly #prints: (codePoint: number) => boolean;
	/** What stands on top of every page after the first. */
	headings: readonly Cell[] = [];
	y = MARGIN;

	constructor(doc: PDFKit.PDFDocument) {
		this.doc = doc;
		this.width = doc.page.width - 2 * MARGIN;
		this.#bottom = doc.page.height - MARGIN - FOOTER;
		// the library has no public way to ask a font what it can print
		const { _font } = doc.font("body") as unknown as {
			_font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } };
		};
		this.#prints = (codePoint) => _font.font.hasGlyphForCodePoint(codePoint);
	}

	text(text: string, most?: number): string {
		return printable(text, this.#prints, most);
	}

	/**
	 * Cells beside each other, the tallest says how high the row is. A row is never broken over two pages. `keep`: so
	 * much of what follows stays on its page.
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
		["Order", slip.externalOrderId],
		["Reference", slip.ref],
		["Order id", slip.orderIds.join(", ")],
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

/** How many pages there are is known only now. */
function feet(sheet: Sheet, ref: string): void {
	const { doc } = sheet;
	const { count } = doc.bufferedPageRange();
	for (let page = 0; page < count; page++) {
		doc.switchToPage(page);
		const y = doc.page.height - MARGIN;
		doc.font("body").fontSize(SIZES.small).fillColor(GREY);
		const options = { width: sheet.width, lineBreak: false } as const;
		doc.text(sheet.text(ref, 60), MARGIN, y, { ...options, align: "left" });
		doc.text(`Page ${page + 1} of ${count}`, MARGIN, y, { ...options, align: "right" });
	}
}

/** Characters of a text that are printed at most: more would push everything else off the page. */
export const MAX_PRINTED_LENGTH = 500;
/** The same for the note of an order. */
export const MAX_PRINTED_NOTE_LENGTH = 2_000;

/** What stands for a character that the font does not have. */
const REPLACEMENT = "\ufffd";
/** Marks that take no place of their own and that a reader does not miss: directions, variants, places to break. */
const SILENT = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Variation_Selector}/gu;

/**
 * A text as it can be printed: composed, white space as single spaces, cut to length, and every character that `prints`
 * says the font lacks replaced, once for each character that a reader would count. Pure.
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
