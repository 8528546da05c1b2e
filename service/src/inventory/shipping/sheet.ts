import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { create } from "qrcode";

export type Paper = "A4" | "LETTER";

/* In points, 72 per inch. */
const MARGIN = 48;
const FOOTER = 28;
const INK = "#111111";
const GREY = "#666666";
/** Sizes of type. */
export const SIZES = { title: 16, body: 9.5, small: 8 } as const;

interface Printed {
	readonly paper: Paper;
	/** In the properties of the document. */
	readonly title: string;
	/** At the foot of each page. */
	readonly foot: string;
	/** The date of the document, in epoch milliseconds: the same document always has the same bytes. */
	readonly createdAt: number;
}

/** Prints a document as PDF: `draw` fills it from the top. */
export async function printSheet(
	{ paper, title, foot, createdAt }: Printed,
	draw: (sheet: Sheet) => void,
): Promise<Buffer> {
	const { default: PDFDocument } = await import("pdfkit"); // it is slow to load, and few processes draw
	const doc = new PDFDocument({
		size: paper,
		// page breaks are decided here, not by the library
		margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: 0 },
		bufferPages: true,
		info: { Title: title.toWellFormed(), Producer: "Holdfast", Creator: "Holdfast", CreationDate: new Date(createdAt) },
	});
	const bytes = buffer(doc);
	for (const [name, file] of Object.entries(fonts())) doc.registerFont(name, file);
	const sheet = new Sheet(doc);
	draw(sheet);
	feet(sheet, foot);
	doc.end();
	return await bytes;
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

/** A text at a distance from the left margin, in points. */
export type Cell = readonly [
	x: number,
	text: string,
	style?: { readonly width?: number; readonly bold?: true; readonly grey?: true },
];

/** Fills pages from the top and adds one when needed. */
export class Sheet {
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

	/** Draws a text as a QR code at the right margin, beside the rows that follow. */
	qr(text: string, size: number): void {
		const { modules } = create(text.toWellFormed(), { errorCorrectionLevel: "M" });
		const side = size / modules.size;
		const left = MARGIN + this.width - size;
		this.doc.fillColor(INK);
		for (let row = 0; row < modules.size; row++) {
			for (let column = 0; column < modules.size; column++) {
				if (modules.get(row, column) !== 1) continue;
				this.doc.rect(left + column * side, this.y + row * side, side, side);
			}
		}
		this.doc.fill();
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

/** Printed last, when the number of pages is known. */
function feet(sheet: Sheet, text: string): void {
	const { doc } = sheet;
	const { count } = doc.bufferedPageRange();
	for (let page = 0; page < count; page++) {
		doc.switchToPage(page);
		const y = doc.page.height - MARGIN;
		doc.font("body").fontSize(SIZES.small).fillColor(GREY);
		const options = { width: sheet.width, lineBreak: false } as const;
		doc.text(sheet.text(text, 60), MARGIN, y, { ...options, align: "left" });
		doc.text(`Page ${page + 1} of ${count}`, MARGIN, y, { ...options, align: "right" });
	}
}

/** Maximum characters printed of a text; more would leave no room for the rest. */
export const MAX_PRINTED_LENGTH = 500;

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
