import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { create } from "qrcode";

export interface LotLabel {
	readonly productName: string;
	readonly batchNumber: string;
	readonly verifyUrl: string;
}

/** Label sheet formats, in points (72 per inch): 3 by 8 labels on A4, 3 by 10 on Letter, as commonly sold. */
const SHEETS = {
	A4: { width: 595.28, height: 841.89, columns: 3, rows: 8 },
	LETTER: { width: 612, height: 792, columns: 3, rows: 10 },
} as const;
export type LabelPaper = keyof typeof SHEETS;

const PADDING = 9;
const QUIET_MODULES = 2;
const TEXT = { name: 8, batch: 9.5, hint: 6.5 } as const;
/** Maximum code points printed of a name or batch number. */
const MAX_PRINTED = 60;

/** A PDF with one label per lot. The same labels give the same bytes except for the PDF's dates. */
export async function drawLabels(labels: readonly LotLabel[], paper: LabelPaper): Promise<Buffer> {
	const { default: PDFDocument } = await import("pdfkit"); // it is slow to load, and few processes draw
	const sheet = SHEETS[paper];
	const doc = new PDFDocument({
		size: paper,
		margin: 0,
		autoFirstPage: false,
		info: { Title: "Lot labels", Producer: "Holdfast" },
	});
	const bytes = buffer(doc);
	doc.registerFont("plain", readFileSync(fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"))));
	const perPage = sheet.columns * sheet.rows;
	const [width, height] = [sheet.width / sheet.columns, sheet.height / sheet.rows];
	const codes = new Map<string, QrShape>();
	for (const [at, label] of labels.entries()) {
		const place = at % perPage;
		if (place === 0) {
			await nextTurn(); // a page takes milliseconds, and thousands of labels must not block other requests
			doc.addPage();
		}
		const code = codes.get(label.verifyUrl) ?? shapeOf(label.verifyUrl);
		codes.set(label.verifyUrl, code);
		drawLabel(doc, label, code, {
			x: (place % sheet.columns) * width,
			y: Math.floor(place / sheet.columns) * height,
			width,
			height,
		});
	}
	if (labels.length === 0) doc.addPage();
	doc.end();
	return await bytes;
}

interface Box {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

function drawLabel(doc: PDFKit.PDFDocument, { productName, batchNumber }: LotLabel, code: QrShape, box: Box): void {
	const side = box.height - 2 * PADDING;
	drawCode(doc, code, { x: box.x + PADDING, y: box.y + PADDING, width: side, height: side });
	const x = box.x + PADDING + side + PADDING / 2;
	const width = box.x + box.width - PADDING - x;
	const line = (size: number, text: string, y: number, lines: number): void => {
		doc.font("plain").fontSize(size).fillColor("#000000");
		doc.text(text, x, y, { width, height: size * 1.3 * lines, ellipsis: true, lineBreak: true });
	};
	line(TEXT.name, printed(productName), box.y + PADDING, 2);
	line(TEXT.batch, printed(batchNumber), box.y + PADDING + 26, 2);
	line(TEXT.hint, "Scan to check this lot", box.y + box.height - PADDING - 10, 1);
}

const printed = (text: string): string => [...text.toWellFormed()].slice(0, MAX_PRINTED).join("");

/** A QR code, drawn as rectangles, so that it is sharp at every size. */
interface QrShape {
	/** Modules per side, including the margin. */
	readonly modules: number;
	/** One PDF operation for each horizontal run of dark modules; its unit is one module. */
	readonly content: string;
}

function shapeOf(url: string): QrShape {
	const { size, data } = create(url, { errorCorrectionLevel: "M" }).modules;
	const runs: string[] = [];
	for (let row = 0; row < size; row++) {
		for (let column = 0; column < size; column++) {
			const from = column;
			while (column < size && data[row * size + column] !== 0) column++;
			if (column > from) runs.push(`${from + QUIET_MODULES} ${row + QUIET_MODULES} ${column - from} 1 re`);
		}
	}
	return { modules: size + 2 * QUIET_MODULES, content: runs.join("\n") };
}

function drawCode(doc: PDFKit.PDFDocument, { modules, content }: QrShape, { x, y, width }: Box): void {
	const module = width / modules;
	doc.save().fillColor("#000000").transform(module, 0, 0, module, x, y);
	doc.addContent(`${content}\nf`);
	doc.restore();
}
