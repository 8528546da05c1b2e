import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	GetCertificate,
	GetCertificateQr,
	ListCertificates,
	PrintLotLabels,
} from "../../src/inventory/certificates/admin-contract.ts";
import {
	ArchiveCertificate,
	PublishCertificate,
	PutCertificate,
	RetireCertificate,
} from "../../src/inventory/certificates/certificate-write-contract.ts";
import { digestOf } from "../../src/inventory/certificates/digest.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { type House, openHouse } from "../house.ts";
import { operate, type SentFile } from "../operate.ts";
import { readPdf } from "../read-pdf.ts";
import { auditRows } from "./placed.ts";

const COA_URL = "https://coa.example.com";

let house: House;
let store: string;

beforeAll(async () => {
	store = await mkdtemp(path.join(tmpdir(), "holdfast-coa-store-"));
	house = await openHouse({ env: { HOLDFAST_COA_STORE: store, HOLDFAST_COA_URL: COA_URL } });
	await house.importWorld({
		products: [
			{ slug: "serum", name: "Serum" },
			{ slug: "tea", name: "Tea" },
		],
		formulas: [{ code: "SERUM-30", name: "Serum", status: "active" }],
		skus: [
			{ sku: "S", name: "S", product: "serum", kind: "single", components: [{ formula: "SERUM-30", per_kit: 1 }] },
		],
		lots: ["A-1", "R-1", "R-2"].map((batch_number) => ({
			formula: "SERUM-30",
			brand_code: null,
			batch_number,
			units: 9,
		})),
	});
});
afterAll(async () => {
	await house.close();
	await rm(store, { recursive: true, force: true });
});

type Headers = Record<string, string>;
const named = (batch: string, slug = "serum") => ({ slug, batch });
const pdf = async (name: string): Promise<SentFile> => ({
	name: `${name}.pdf`,
	bytes: new Uint8Array(await pdfOf("Serum", name)),
});
const put = (batch: string, body: object, files?: readonly SentFile[], headers: Headers = {}) =>
	operate(house, PutCertificate, { params: named(batch), body, headers, ...(files === undefined ? {} : { files }) });
const read = async (batch: string) => await operate(house, GetCertificate, { params: named(batch) });
const stored = async (): Promise<number> =>
	(await readdir(store, { recursive: true })).filter((name) => name.endsWith(".pdf")).length;
const FACTS = { vial_size: "30 ml", tested_on: "2026-08-20", lab_name: "Lab", purity_pct: 99.12 };

describe("A certificate is made and changed", () => {
	it("with its PDF, which is in the store before it is there; a dry run stores nothing", async () => {
		const [rows, files] = [await auditRows(house), await stored()];
		const first = await pdf("A-1");
		const dry = await put("A-1", { ...FACTS, status: "draft", dry_run: true }, [first]);
		expect([dry.status, dry.json.data.what, dry.json.data.dry_run]).toEqual([201, "created", true]);
		expect([(await read("A-1")).status, await stored(), await auditRows(house)]).toEqual([404, files, rows]);
		const made = await put("A-1", { ...FACTS, status: "draft", product_slug: "serum" }, [first]);
		expect([made.status, made.json.data]).toMatchObject([
			201,
			{
				...FACTS,
				slug: "serum",
				product_name: "Serum",
				batch_number: "A-1",
				status: "draft",
				digest: digestOf(Buffer.from(first.bytes)),
				lots: [{ formula: "SERUM-30", brand_code: null, recalled: false }],
				certificate_url: null,
				verify_url: `${COA_URL}/coa/lookup?lot=A-1`,
				what: "created",
				fields: [],
			},
		]);
		expect(made.json.data.changed_by).toMatch(/^operator:/);
		expect([await stored(), await auditRows(house)]).toEqual([files + 1, rows + 1]);
		const { what: _what, fields: _fields, ...certificate } = made.json.data;
		expect((await read("A-1")).json.data).toEqual(certificate);
		const { rows: log } = await house.db.query(
			"select about, operation, body from audit_log order by seq desc limit 1",
		);
		expect(log).toMatchObject([
			{
				about: "serum A-1",
				operation: "put_certificate",
				body: { files: [{ name: "A-1.pdf", sha256: certificate.digest }] },
			},
		]);
	});

	it("in its figures alone, which keeps the PDF, or in its PDF; what is so already leaves no row", async () => {
		const rows = await auditRows(house);
		const { lab_name: _lab, ...rest } = FACTS;
		const changed = await put("A-1", { ...rest, purity_pct: 98.5, status: "current" });
		expect([changed.status, changed.json.data.fields]).toEqual([
			200,
			[
				{ field: "lab_name", from: "Lab", to: null },
				{ field: "purity_pct", from: 99.12, to: 98.5 },
				{ field: "status", from: "draft", to: "current" },
			],
		]);
		expect(changed.json.data.certificate_url).toMatch(`${COA_URL}/coa/file/`);
		const again = await put("A-1", { ...rest, purity_pct: 98.5, status: "current" });
		expect([again.status, again.json.data.what, await auditRows(house)]).toEqual([200, "unchanged", rows + 1]);
		const other = await put("A-1", { ...rest, purity_pct: 98.5, status: "current" }, [await pdf("A-1b")]);
		expect(other.json.data.fields).toMatchObject([{ field: "file" }]);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("once under an Idempotency-Key, and not if it changed since the caller read it", async () => {
		const key = { "idempotency-key": "cert-1" };
		const file = await pdf("A-2");
		const [first, again] = [
			await put("A-2", { status: "current" }, [file], key),
			await put("A-2", { status: "current" }, [file], key),
		];
		expect([again.status, again.json, again.headers["idempotent-replayed"]]).toEqual([201, first.json, "true"]);
		const other = await put("A-2", { status: "current" }, [await pdf("A-2b")], key);
		expect([other.status, other.json.error.code]).toEqual([409, "idempotency_conflict"]);
		const etag = { "if-match": String((await read("A-2")).headers.etag) };
		expect((await put("A-2", { status: "current", lab_name: "Lab" }, undefined, etag)).status).toBe(200);
		const late = await put("A-2", { status: "archived" }, undefined, etag);
		expect([late.status, late.json.error.code]).toEqual([412, "changed_meanwhile"]);
		expect((await read("A-2")).json.data.status).toBe("current");
	});

	it.for([
		[400, {}, "/status"],
		[400, { status: "retired" }, "/status"],
		[400, { status: "draft", tested_on: "2026-02-30" }, "/tested_on"],
		[400, { status: "draft", purity_pct: 99.123 }, "/purity_pct: expected at most two decimals"],
		[400, { status: "draft", purity_pct: 101 }, "/purity_pct"],
		[400, { status: "draft", batch_number: "N-2" }, "/batch_number: differs from the batch number in the path"],
		[400, { status: "draft", file: "a.pdf" }, "/file"],
		[400, { status: "draft" }, "/file: a new certificate needs its PDF"],
	] as const)("%i for %j", async ([status, body, message]) => {
		const refused = await put("N-1", body);
		expect([refused.status, refused.json.error.message]).toEqual([status, expect.stringContaining(message)]);
	});

	it("only with a PDF that is one, of a product that exists, and not as a draft once it was published", async () => {
		const files = await stored();
		const page = await put("N-1", { status: "draft" }, [{ name: "page.pdf", bytes: "<!doctype html>" }]);
		expect([page.status, page.json.error.message]).toEqual([400, expect.stringContaining('"page.pdf" is not a PDF')]);
		const params = { slug: "serun", batch: "N-1" };
		const nowhere = await operate(house, PutCertificate, {
			params,
			body: { status: "draft" },
			files: [await pdf("N-1")],
		});
		expect([nowhere.status, nowhere.json.error.message]).toEqual([
			404,
			expect.stringContaining('did you mean "serum"?'),
		]);
		const rows = await auditRows(house);
		const draft = await put("A-2", { status: "draft" });
		expect([draft.status, draft.json.error.code]).toEqual([409, "not_possible_now"]);
		expect([await stored(), await auditRows(house)]).toEqual([files, rows + 1]);
	});
});

describe("A certificate changes its status", () => {
	const move = (operation: typeof PublishCertificate | typeof ArchiveCertificate, batch: string, body: object = {}) =>
		operate(house, operation, { params: named(batch), body });

	it("draft, current, archived and back; what is so already is answered, and leaves no row", async () => {
		await put("M-1", { status: "draft" }, [await pdf("M-1")]);
		const rows = await auditRows(house);
		const dry = await move(PublishCertificate, "M-1", { dry_run: true });
		expect(dry.json.data).toMatchObject({ from: "draft", status: "current", changed: true, dry_run: true });
		expect([(await read("M-1")).json.data.status, await auditRows(house)]).toEqual(["draft", rows]);
		expect((await move(PublishCertificate, "M-1")).json.data).toMatchObject({ from: "draft", status: "current" });
		const archived = await move(ArchiveCertificate, "M-1", { reason: "sold out" });
		expect(archived.json.data).toMatchObject({ from: "current", status: "archived" });
		expect((await read("M-1")).json.data.retire_reason).toBeNull(); // the reason is in the audit log
		expect((await move(PublishCertificate, "M-1")).json.data).toMatchObject({ from: "archived", status: "current" });
		const again = await move(PublishCertificate, "M-1");
		expect([again.status, again.json.data.changed, await auditRows(house)]).toEqual([200, false, rows + 3]);
		expect((await move(PublishCertificate, "M-0")).status).toBe(404);
	});

	it("is retired for good: then it can only be issued again, when that is asked for", async () => {
		const etag = String((await read("M-1")).headers.etag);
		const retire = (body: object, headers: Headers = {}) =>
			operate(house, RetireCertificate, { params: named("M-1"), body, headers });
		expect((await retire({ reason: "lab error" }, { "if-match": '"other"' })).status).toBe(412);
		const done = await retire({ reason: "lab error" }, { "if-match": etag });
		expect([done.status, done.json.data]).toMatchObject([200, { from: "current", status: "retired", recalled: null }]);
		expect(done.json.data.still_for_sale).toBeNull(); // the batch has no lot
		expect((await read("M-1")).json.data).toMatchObject({ status: "retired", retire_reason: "lab error" });
		const rows = await auditRows(house);
		for (const refused of [
			await move(PublishCertificate, "M-1"),
			await put("M-1", { status: "draft" }, [await pdf("M-1")]),
		])
			expect([refused.status, refused.json.error.code]).toEqual([409, "not_possible_now"]);
		expect(await auditRows(house)).toBe(rows + 2);
		const anew = await put("M-1", { status: "current", reissue: true }, [await pdf("M-1")]);
		expect([anew.status, anew.json.data.what]).toEqual([201, "created"]);
		const query = "?batch_number=M-1";
		const { items } = (await operate(house, ListCertificates, { query })).json.data;
		expect(items.map(({ status }: { status: string }) => status)).toEqual(["current", "retired"]);
	});

	it("and a retired one names the units that are still for sale, or takes them with a recall in one", async () => {
		await put("R-1", { status: "current" }, [await pdf("R-1")]);
		await put("R-2", { status: "current" }, [await pdf("R-2")]);
		const retire = (batch: string, body: object) => operate(house, RetireCertificate, { params: named(batch), body });
		expect((await retire("R-1", { reason: "x" })).json.data.still_for_sale).toEqual({
			lots: 1,
			available: 9,
			bound: 0,
			recall: [{ batch_number: "R-1", formula: null }],
		});
		const without = await retire("R-2", { recall: true, dry_run: true });
		expect(without.json.data.recalled).toMatchObject({ moved: 9 }); // a reason may be missing
		const dry = await retire("R-2", { recall: true, reason: "report 7", dry_run: true });
		expect(dry.json.data).toMatchObject({ status: "retired", dry_run: true, recalled: { moved: 9, left: 0 } });
		expect((await read("R-2")).json.data.status).toBe("current");
		const rows = await auditRows(house);
		const both = await retire("R-2", { recall: true, reason: "report 7" });
		expect(both.json.data).toMatchObject({ from: "current", changed: true, still_for_sale: null });
		expect(both.json.data.recalled).toMatchObject({ moved: 9, replaced: 0, lost: 0, left: 0 });
		const late = await retire("R-1", { recall: true, reason: "report 7" });
		expect(late.json.data).toMatchObject({ from: "retired", changed: false, recalled: { moved: 9 } });
		expect((await retire("R-1", { recall: true, reason: "report 7" })).json.data.recalled).toMatchObject({ moved: 0 });
		expect(await auditRows(house)).toBe(rows + 2);
		const recalled = await put("R-2", { status: "current", reissue: true }, [await pdf("R-2")]);
		expect([recalled.status, recalled.json.error.code]).toEqual([409, "not_possible_now"]);
		const { rows: moves } = await house.db.query(
			`select m.cause, m.units, m.cause_id from unit_move m join audit_log a on a.request_id = m.request_id and a.actor = m.actor
			  where a.operation = 'retire_certificate' order by m.seq`,
		);
		const move = { cause: "recall", units: 9, cause_id: "report 7" };
		expect(moves).toEqual([move, move]);
		expect((await verify(house.db)).ok).toBe(true);
	});
});

describe("Certificates are listed", () => {
	it("by product and batch, page by page, by status, product, batch number and text", async () => {
		const list = async (query: string) => (await operate(house, ListCertificates, { query })).json;
		const names = (page: { data: { items: { batch_number: string; status: string }[] } }) =>
			page.data.items.map((one) => `${one.batch_number} ${one.status}`);
		const all = names(await list(""));
		expect(all).toEqual(["A-1 current", "A-2 current", "M-1 current", "M-1 retired", "R-1 retired", "R-2 retired"]);
		const paged: string[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page = await list(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
			paged.push(...names(page));
			cursor = page.data.next_cursor;
		}
		expect(paged).toEqual(all);
		expect(names(await list("?status=retired&product=serum"))).toEqual(["M-1 retired", "R-1 retired", "R-2 retired"]);
		expect(names(await list("?q=a-"))).toEqual(["A-1 current", "A-2 current"]);
		expect(names(await list("?product=tea"))).toEqual([]);
		expect(names(await list("?batch_number=A-1&status=draft"))).toEqual([]);
		expect((await list("?product=serun")).error).toMatchObject({
			code: "not_found",
			message: expect.stringMatching(/"serum"/),
		});
		expect((await list("?batch_number=a1")).error).toMatchObject({
			code: "not_found",
			message: expect.stringMatching(/"A-1"/),
		});
		expect((await list("?cursor=AAAA")).error.code).toBe("invalid_input");
	});
});

it("A recall with a certificate takes the units of holds, too", async () => {
	await house.importWorld({
		formulas: [{ code: "TEA-1", name: "Tea", status: "active" }],
		skus: [{ sku: "T", name: "T", product: "tea", kind: "single", components: [{ formula: "TEA-1", per_kit: 1 }] }],
		lots: [{ formula: "TEA-1", brand_code: null, batch_number: "T-1", units: 9 }],
	});
	const { token } = await house.mint({ scopes: ["atp.reserve"], sharedPool: true });
	const held = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "T", qty: 4 }] } });
	expect(held.status).toBe(201);
	const params = named("T-1", "tea");
	await operate(house, PutCertificate, { params, body: { status: "current" }, files: [await pdf("T-1")] });
	const body = { recall: true, reason: "report 8" };
	const retired = await operate(house, RetireCertificate, { params, body });
	expect(retired.json.data.recalled).toMatchObject({ moved: 9, replaced: 0, lost: 4, left: 0 });
	expect((await verify(house.db)).ok).toBe(true);
});

describe("Codes and labels", () => {
	it("lead to the buyer's page; labels leave one row of the audit log", async () => {
		const qr = await operate(house, GetCertificateQr, { params: named("A-1") });
		expect([qr.status, qr.headers["content-type"], qr.bytes.toString().slice(0, 5)]).toEqual([
			200,
			"image/svg+xml",
			"<svg ",
		]);
		expect((await operate(house, GetCertificateQr, { params: named("A-0") })).status).toBe(404);
		const rows = await auditRows(house);
		const print = (body: object) => operate(house, PrintLotLabels, { body });
		const labels = await print({ batch_numbers: ["A-2", "A-1"], copies: 20, paper: "LETTER" });
		expect([labels.status, labels.headers["content-type"], labels.headers["x-labels"]]).toEqual([
			200,
			"application/pdf",
			"40",
		]);
		const { pages } = readPdf(labels.bytes);
		expect(pages.map((page) => page.filter((text) => text.startsWith("A-")).length)).toEqual([30, 10]);
		expect(pages[0]).toContain("A-2");
		expect(await auditRows(house)).toBe(rows + 1);
		expect((await print({ batch_numbers: ["A-1", "R-1"] })).json.error).toMatchObject({
			code: "not_found",
			message: 'Batch "R-1" has no certificate, or only a retired one.',
		});
		expect((await print({ batch_numbers: Array(11).fill("A-1"), copies: 1_000 })).status).toBe(400);
	});
});
