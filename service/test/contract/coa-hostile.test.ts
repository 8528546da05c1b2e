import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wrongInPdf } from "../../src/inventory/certificates/pdf.ts";
import { type CoaWorld, openCoaWorld, pdfOf } from "./coa-world.ts";
import { unique } from "./world.ts";

let world: CoaWorld;
let token: string;
let file: string;

beforeAll(async () => {
	world = await openCoaWorld({ HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8" });
	({ token } = await world.key());
	const slug = unique("slug");
	await world.has({ products: [{ slug, name: "P" }] });
	await world.certify({ slug, batchNumber: "H-1" });
	file = new URL((await world.ask(`/api/partner/v1/coa?product=${slug}`, { token })).json.data.items[0].certificate_url)
		.pathname;
});
afterAll(() => world.stop());

/** Sends the bytes of a path unchanged, which no URL client would do. */
function raw(path: string): Promise<{ status: number; text: string; type: string }> {
	const { hostname, port } = new URL(world.coa);
	return new Promise((resolve, reject) => {
		const sent = request(
			{ hostname, port, path, headers: { "x-forwarded-for": `198.51.100.${++addresses % 250}` } },
			(response) => {
				const chunks: Buffer[] = [];
				response.on("data", (chunk: Buffer) => chunks.push(chunk));
				response.on("end", () =>
					resolve({
						status: response.statusCode ?? 0,
						text: Buffer.concat(chunks).toString("latin1"),
						type: String(response.headers["content-type"]),
					}),
				);
			},
		);
		sent.on("error", reject);
		sent.end();
	});
}
let addresses = 0;

/** Ways to write "one folder up", and the files to be reached by them. */
const UP = [
	"../",
	"..%2f",
	"..%2F",
	"%2e%2e/",
	"%2e%2e%2f",
	"..%5c",
	"..\\",
	"%252e%252e%252f",
	"..%252f",
	"..;/",
	"....//",
	"%c0%ae%c0%ae/",
	"..%c0%af",
	"..%ef%bc%8f",
	"%uff0e%uff0e/",
	"..%00/",
	"./",
	".%2f",
];
const TARGETS = ["etc/passwd", "secret-keys", "postgres-password"];

describe("Nothing outside the store is served", () => {
	it("whatever the path climbs by", async () => {
		const [, , , id = "", digest = ""] = file.split("/");
		let spellings = 0;
		for (const up of UP) {
			for (const target of TARGETS) {
				const climb = up.repeat(6) + target;
				for (const path of [
					`/coa/file/${climb}`,
					`/coa/file/${id}/${climb}`,
					`/coa/file/${id}/${digest}${up}${target}`,
					`/coa/${climb}`,
				]) {
					const { status, text, type } = await raw(path);
					expect([path, status === 400 || status === 404]).toEqual([path, true]);
					expect(type).toMatch(/^application\/json/);
					expect(text).not.toMatch(/root:|%PDF/);
					spellings++;
				}
			}
		}
		expect(spellings).toBeGreaterThanOrEqual(50);
		for (const path of [
			`${file}%00`,
			`${file}.pdf`,
			`${file}/`,
			file.toUpperCase(),
			`/coa/file/${id}/${digest.toUpperCase()}`,
			`/coa/file/${digest}/${id}`,
		])
			expect([path, [400, 404].includes((await raw(path)).status)]).toEqual([path, true]);
		expect((await raw(file)).status).toBe(200);
	});
});

describe("Names of lots", () => {
	it("come back exactly, or are refused in words", async () => {
		const slug = unique("slug");
		await world.has({ products: [{ slug, name: "P" }] });
		const names = [
			"a/b",
			"../../etc",
			"a%2Fb",
			"a?b#c&d=e",
			"🙂👩‍🔬",
			"é",
			"é",
			"a b",
			"'--",
			"\u202eb",
			"x".repeat(200),
			"=1+1",
			";",
			".",
		];
		for (const batchNumber of names) {
			await world.certify({ slug, batchNumber });
			for (const at of [
				`/api/partner/v1/coa/lot/${encodeURIComponent(batchNumber)}`,
				`/coa/lookup?lot=${encodeURIComponent(batchNumber)}`,
			]) {
				if (batchNumber === "." && at.includes("/lot/")) continue; // no URL client can request it
				const headers = { accept: "application/json", "x-forwarded-for": `198.51.100.${++addresses % 250}` };
				const { json, status } = await world.ask(at, { token, headers });
				expect([at, status, json?.data?.items.map((one: { batch_number: string }) => one.batch_number)]).toEqual([
					at,
					200,
					[batchNumber],
				]);
			}
		}
		for (const long of ["x".repeat(201), "🙂".repeat(201), "x".repeat(10_000)]) {
			const { status } = await world.ask(`/coa/lookup?lot=${encodeURIComponent(long)}`, {
				headers: { "x-forwarded-for": `198.51.100.${++addresses % 250}` },
			});
			expect([400, 431]).toContain(status);
			const lot = await raw(`/api/partner/v1/coa/lot/${encodeURIComponent(long)}`);
			expect([400, 401, 404, 431]).toContain(lot.status);
		}
		for (const bad of ["%00", "%ff", "a%ed%a0%80"])
			expect([bad, (await raw(`/coa/lookup?lot=${bad}`)).status]).toEqual([bad, 400]);
	});
});

describe("What claims to be a PDF", () => {
	it("is taken only if it is one, whole, and nothing else", async () => {
		const pdf = await pdfOf("P", "1");
		expect(wrongInPdf(pdf)).toBeNull();
		const with_ = (bytes: Buffer | string, at: number): Buffer => {
			const copy = Buffer.from(pdf);
			(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes).copy(copy, at);
			return copy;
		};
		const zipEnd = Buffer.concat([Buffer.from("PK\x05\x06", "latin1"), Buffer.alloc(18)]);
		const tail = pdf.subarray(pdf.lastIndexOf("startxref"));
		const withZip = Buffer.concat([
			pdf.subarray(0, pdf.length - tail.length),
			Buffer.from("\n%"),
			zipEnd.subarray(0, 20),
			Buffer.from([tail.length + 1, 0]),
			Buffer.from("\n"),
			tail,
		]);
		const cases: [string, Buffer, RegExp][] = [
			["nothing", Buffer.alloc(0), /empty/],
			["HTML", Buffer.from("<!doctype html><script>1</script>"), /does not begin/],
			["a PNG", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), /does not begin/],
			["a line before it", Buffer.concat([Buffer.from("x\n"), pdf]), /does not begin/],
			["its first line alone", Buffer.from("%PDF-1.7\n"), /does not end/],
			["cut off", pdf.subarray(0, pdf.length - 20), /does not end/],
			["something after it", Buffer.concat([pdf, Buffer.from("<script>")]), /does not end/],
			[
				"a table elsewhere",
				Buffer.from(pdf.toString("latin1").replace(/startxref\n\d+/, "startxref\n7"), "latin1"),
				/not where it should be/,
			],
			["a version of none", with_("%PDF-9.9", 0), /does not begin/],
			["21 MiB", Buffer.concat([pdf, Buffer.alloc(21 * 1024 * 1024)]), /larger than 20 MiB/],
			["a ZIP archive too", withZip, /ZIP archive/],
			["a TAR archive too", with_("ustar", 257), /TAR archive/],
			["a page too", with_("<script>", 60), /page of HTML/],
			["a program too", with_("<?php", 900), /PHP/],
			["a 7z archive too", with_("7z\xbc\xaf\x27\x1c", 1_000), /7z/],
		];
		for (const [what, bytes, why] of cases)
			expect([what, wrongInPdf(bytes) ?? "taken"]).toEqual([what, expect.stringMatching(why)]);
	});
});

describe("Addresses of PDFs that lead nowhere", () => {
	const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
	const madeUp = (n: number): string => `/coa/file/${randomUUID()}/${String(n).padStart(64, "0")}`;

	it("are looked up for an address thirty times a minute; then it is answered 429 unasked, and others as ever", async () => {
		for (let n = 0; n < 30; n++) expect((await world.ask(madeUp(n), from("203.0.113.1"))).status).toBe(404);
		const refused = await world.ask(madeUp(30), from("203.0.113.1"));
		expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
		expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
		expect((await world.ask(file, from("203.0.113.1"))).status).toBe(429);
		expect((await world.ask(file, from("203.0.113.2"))).status).toBe(200);
		expect((await world.ask(madeUp(31), from("203.0.113.2"))).status).toBe(404);
	});

	it("what is there may be read as often as one likes", async () => {
		for (let n = 0; n < 100; n++) expect((await world.ask(file, from("203.0.113.3"))).status).toBe(200);
	});
});
