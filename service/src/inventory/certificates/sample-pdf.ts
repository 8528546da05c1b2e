import { buffer } from "node:stream/consumers";

export interface SampleFacts {
	readonly productName: string;
	readonly batchNumber: string;
	/** YYYY-MM-DD. */
	readonly testedOn: string;
	readonly labName: string;
	readonly purityPct: number;
}

const MARGIN = 56;
const PAGES = 2;
/** Fixed, so that the same sample always gives the same bytes. */
const MADE_AT = new Date("2026-09-06T00:00:00Z");

/** A sample certificate; every page says that it is not a real one. */
export async function drawSamplePdf(facts: SampleFacts): Promise<Buffer> {
	const { default: PDFDocument } = await import("pdfkit"); // it is slow to load, and few processes draw
	const doc = new PDFDocument({
		size: "A4",
		margin: MARGIN,
		autoFirstPage: false,
		info: {
			Title: `SAMPLE certificate ${facts.batchNumber}`,
			Producer: "Holdfast",
			Creator: "Holdfast",
			CreationDate: MADE_AT,
		},
	});
	const bytes = buffer(doc);
	for (let page = 1; page <= PAGES; page++) {
		doc.addPage();
		stamp(doc);
		if (page === 1) firstPage(doc, facts);
		else secondPage(doc, facts);
	}
	doc.end();
	return await bytes;
}

/** Draws the watermark across the page; later content covers it. */
function stamp(doc: PDFKit.PDFDocument): void {
	const { width, height } = doc.page;
	doc.save().rotate(-45, { origin: [width / 2, height / 2] });
	doc.font("Helvetica-Bold").fontSize(120).fillColor("#d9d9d9");
	doc.text("SAMPLE", 0, height / 2 - 60, { width, align: "center", lineBreak: false });
	doc.restore();
	doc.font("Helvetica-Bold").fontSize(11).fillColor("#a11212");
	doc.text("SAMPLE - of the sandbox, not a certificate of a real product", MARGIN, MARGIN, { align: "center" });
	doc.fillColor("#111111").moveDown(2);
}

function firstPage(
	doc: PDFKit.PDFDocument,
	{ productName, batchNumber, testedOn, labName, purityPct }: SampleFacts,
): void {
	doc.font("Helvetica-Bold").fontSize(20).text("Certificate of analysis", MARGIN);
	doc.moveDown();
	const rows = [
		["Product", productName],
		["Batch", batchNumber],
		["Tested on", testedOn],
		["Laboratory", labName],
		["Purity", `${purityPct} %`],
	] as const;
	for (const [name, value] of rows) {
		doc.font("Helvetica-Bold").fontSize(11).text(`${name}: `, { continued: true });
		doc.font("Helvetica").text(value);
	}
}

function secondPage(doc: PDFKit.PDFDocument, { batchNumber, purityPct }: SampleFacts): void {
	doc.font("Helvetica-Bold").fontSize(14).text(`Results of batch ${batchNumber}`, MARGIN);
	doc.moveDown();
	doc.font("Helvetica").fontSize(11);
	for (const line of [
		`Purity (HPLC): ${purityPct} %`,
		"Appearance: complies",
		"Identity: complies",
		"Heavy metals: complies",
	])
		doc.text(line);
}
