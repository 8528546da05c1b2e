import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { activeInPdf } from "./active-pdf.ts";
import { drawSamplePdf } from "./sample-pdf.ts";

const pdf = (...objects: string[]): Buffer => Buffer.from(`%PDF-1.7\n${objects.join("\n")}\n%%EOF`, "latin1");
const objectStream = (content: string, { more = "", wrong = "" } = {}): string => {
	const body = deflateSync(Buffer.from(content)).toString("latin1");
	const packed = wrong === "" ? body : body.slice(0, -4) + wrong;
	return `9 0 obj << /Type /ObjStm /Filter /FlateDecode /N 1 /First 4 ${more} >> stream\n${packed}\nendstream endobj`;
};
const SCRIPT = "<< /S /JavaScript >>";

describe("What a PDF would do when it is opened", () => {
	it.each([
		["JavaScript", "1 0 obj << /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >> endobj"],
		["JS", "1 0 obj << /AA << /O << /J#53 (x) >> >> >> endobj"],
		["Launch", "1 0 obj << /S/Launch/F(calc.exe) >> endobj"],
		["EmbeddedFiles", "1 0 obj << /Names << /EmbeddedFiles 7 0 R >> >> endobj"],
		["JavaScript", objectStream(SCRIPT)],
		["JavaScript", objectStream(SCRIPT, { wrong: "abcd" })],
		["JavaScript", objectStream(SCRIPT, { more: "/X (2 0 obj)" })],
		["JavaScript", objectStream(SCRIPT, { more: `/X (${"x".repeat(3_000)})` })],
		["JavaScript", `% stream\n1 0 obj ${SCRIPT} endobj\n% endstream`],
		["JavaScript", `1 0 obj (stream\n) endobj 2 0 obj ${SCRIPT} endobj 3 0 obj (endstream) endobj`],
	])("%s is found in %.60j", (name, object) => {
		expect(activeInPdf(pdf(object))).toContain(`(/${name})`);
	});

	it.each([
		["more than is inflated", objectStream(`${" ".repeat(9 * 1024 * 1024)}${SCRIPT}`)],
		["two filters", objectStream(SCRIPT).replace("/FlateDecode", "[/ASCIIHexDecode /FlateDecode]")],
		["a predictor", objectStream(SCRIPT, { more: "/DecodeParms << /Predictor 12 >>" })],
		[
			"bytes that are not compressed",
			"9 0 obj << /Type /ObjStm /Filter /FlateDecode >> stream\n\x78\x9c\xff\xff\nendstream",
		],
	])("objects behind %s are refused", (_, object) => {
		expect(activeInPdf(pdf(object))).toMatch(/^has objects that cannot be read/);
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
