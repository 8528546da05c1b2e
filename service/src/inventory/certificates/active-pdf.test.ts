import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { activeInPdf } from "./active-pdf.ts";
import { drawSamplePdf } from "./sample-pdf.ts";

const pdf = (...objects: string[]): Buffer => Buffer.from(`%PDF-1.7\n${objects.join("\n")}\n%%EOF`, "latin1");
const objectStream = (content: string): string => {
	const body = deflateSync(Buffer.from(content)).toString("latin1");
	return `9 0 obj << /Type /ObjStm /Filter /FlateDecode /N 1 /First 4 >> stream\n${body}\nendstream endobj`;
};

describe("What a PDF would do when it is opened", () => {
	it.each([
		["JavaScript", "1 0 obj << /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >> endobj"],
		["JS", "1 0 obj << /AA << /O << /J#53 (x) >> >> >> endobj"],
		["Launch", "1 0 obj << /S/Launch/F(calc.exe) >> endobj"],
		["EmbeddedFiles", "1 0 obj << /Names << /EmbeddedFiles 7 0 R >> >> endobj"],
		["JavaScript", objectStream("<< /S /JavaScript >>")],
	])("%s is found in %.60j", (name, object) => {
		expect(activeInPdf(pdf(object))).toBe(name);
	});

	it.each([
		["a page at which it opens", "1 0 obj << /OpenAction [3 0 R /Fit] >> endobj"],
		["a name that begins alike", "1 0 obj << /JSX 1 /Launched 2 >> endobj"],
		["bytes of a picture", "2 0 obj << /Length 9 >> stream\nab/JS /Launch \nendstream endobj"],
		["objects that no reader can open", objectStream("<< /A 1 >>").replace("/First 4", "/First 4 /X 1")],
	])("nothing is found in %s", (_, object) => {
		expect(activeInPdf(pdf(object))).toBeNull();
	});

	it("a real certificate does nothing", async () => {
		const facts = { productName: "Serum", batchNumber: "C-1", testedOn: "2026-08-20", labName: "Lab", purityPct: 99 };
		expect(activeInPdf(await drawSamplePdf(facts))).toBeNull();
	});
});
