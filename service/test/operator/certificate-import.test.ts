import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GetCertificate } from "../../src/inventory/certificates/admin-contract.ts";
import { PutCertificate, RetireCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { digestOf } from "../../src/inventory/certificates/digest.ts";
import {
	ImportCertificates,
	StoreCertificateFiles,
} from "../../src/upkeep/certificate-import/certificate-import-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { type House, openHouse } from "../house.ts";
import { operate, type SentFile } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
let store: string;

beforeAll(async () => {
	store = await mkdtemp(path.join(tmpdir(), "holdfast-coa-store-"));
	house = await openHouse({ env: { HOLDFAST_COA_STORE: store } });
	await house.importWorld({ products: [{ slug: "serum", name: "Serum" }] });
	for (const batch of ["A-1", "R-1"]) {
		const params = { slug: "serum", batch };
		await operate(house, PutCertificate, { params, body: { status: "current" }, files: [await pdf(batch)] });
	}
	await operate(house, RetireCertificate, { params: { slug: "serum", batch: "R-1" }, body: {} });
});
afterAll(async () => {
	await house.close();
	await rm(store, { recursive: true, force: true });
});

const pdf = async (name: string): Promise<SentFile> => ({
	name: `${name}.pdf`,
	bytes: new Uint8Array(await pdfOf("Serum", name)),
});
const read = (batch: string) => operate(house, GetCertificate, { params: { slug: "serum", batch } });
const stored = async (): Promise<number> =>
	(await readdir(store, { recursive: true })).filter((name) => name.endsWith(".pdf")).length;

describe("A table of certificates is imported", () => {
	const HEAD = "product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,file";
	const csv = (...rows: string[]): SentFile => ({
		name: "certificates.csv",
		bytes: `${[HEAD, ...rows].join("\r\n")}\r\n`,
	});
	const send = (body: object, files: readonly SentFile[], headers: Record<string, string> = {}) =>
		operate(house, ImportCertificates, { body, files, headers });

	it("with its PDFs in one request: a dry run changes and stores nothing, a second import changes nothing", async () => {
		const table = csv("serum,,I-1,,,,,current,I-1.pdf", "serum,,A-1,,,,97,current,I-1.pdf");
		const [rows, files] = [await auditRows(house), await stored()];
		const sent = [table, await pdf("I-1")];
		const report = {
			created: 1,
			changed: 1,
			unchanged: 0,
			without_lot: ["I-1", "A-1"].map((batch_number) => ({ slug: "serum", batch_number })),
		};
		const dry = await send({ dry_run: true }, sent);
		expect([dry.status, dry.json.data]).toMatchObject([200, { ...report, dry_run: true }]);
		expect([await stored(), await auditRows(house)]).toEqual([files, rows]);
		const done = await send({}, sent);
		expect(done.json.data).toMatchObject(report);
		expect(done.json.data.changes).toMatchObject([
			{ batch_number: "I-1", what: "created", fields: [] },
			{ batch_number: "A-1", what: "changed" },
		]);
		const again = await send({}, sent);
		expect(again.json.data).toMatchObject({ created: 0, changed: 0, unchanged: 2, changes: [] });
		expect([await stored(), await auditRows(house)]).toEqual([files + 1, rows + 1]);
	});

	it("with PDFs that were stored before, and refused without them", async () => {
		const file = await pdf("I-2");
		const [given] = [{ name: "I-2.pdf", sha256: digestOf(Buffer.from(file.bytes)), bytes: file.bytes.length }];
		const table = csv("serum,,I-2,,,,,current,I-2.pdf");
		expect((await send({ stored: [given], dry_run: true }, [table])).json.data.created).toBe(1);
		expect((await send({ stored: [given] }, [table])).json.error.problems).toEqual([
			{
				at: "certificates.csv line 2, file",
				message: "is not in the store: send it with the table, or store it before",
			},
		]);
		const answer = await operate(house, StoreCertificateFiles, { body: {}, files: [file] });
		expect([answer.status, answer.json.data.items]).toEqual([200, [given]]);
		expect((await send({ stored: [given] }, [table])).json.data.created).toBe(1);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("all or nothing: every problem is named at once, and nothing is stored", async () => {
		const files = await stored();
		const sent = [await pdf("I-3"), { name: "page.pdf", bytes: "<!doctype html>" }];
		const table = csv(
			"serum,,I-3,,,,,current,I-3.pdf",
			"serum,,I-4,,,,,current,page.pdf",
			"serum,,I-5,,2026-02-30,,,current,I-3.pdf",
			"serum,,R-1,,,,,current,I-3.pdf",
			"serun,,I-6,,,,,current,none.pdf",
		);
		const refused = await send({}, [table, ...sent]);
		expect([refused.status, refused.json.error.code]).toEqual([400, "invalid_input"]);
		expect(refused.json.error.problems).toEqual([
			{ at: "certificates.csv line 3, file", message: expect.stringContaining("is not a PDF") },
			{ at: "certificates.csv line 4, tested_on", message: "must be a day, YYYY-MM-DD" },
			{ at: "certificates.csv line 6, file", message: '"none.pdf" is not among the files' },
			{ at: "certificates.csv line 5", message: expect.stringContaining("with reissue, a new certificate") },
			{ at: "certificates.csv line 6, product_slug", message: expect.stringContaining('did you mean "serum"?') },
		]);
		expect((await read("I-3")).status).toBe(404);
		const wrong = await operate(house, StoreCertificateFiles, { body: {}, files: sent });
		expect(wrong.json.error.problems).toMatchObject([{ at: "page.pdf" }]);
		expect(await stored()).toBe(files);
	});

	it.for([
		["no table", [], /one file whose name ends in \.csv/],
		["two tables", [csv(), { name: "b.csv", bytes: HEAD }], /one file whose name ends in \.csv/],
		["no UTF-8", [{ name: "a.csv", bytes: new Uint8Array([0xff]) }], /a\.csv: is not valid UTF-8/],
		["an unknown column", [{ name: "a.csv", bytes: "slug\r\nserum\r\n" }], /column "slug" is not known/],
		["a name twice", [csv(), ...["x", "y"].map((bytes) => ({ name: "a.pdf", bytes }))], /a\.pdf: is given twice/],
	] as const)("not with %s", async ([, files, message]) => {
		const refused = await send({}, files);
		expect([refused.status, refused.json.error.message]).toEqual([400, expect.stringMatching(message)]);
	});
});
