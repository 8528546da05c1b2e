import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { type CoaWorld, openCoaWorld, pdfOf } from "../../../service/test/contract/coa-world.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

/** The address for buyers; no request is sent to it. */
const COA_URL = "https://coa.example.com";

let world: CoaWorld;
let folder: string;
let store: string;

beforeAll(async () => {
	store = await mkdtemp(path.join(tmpdir(), "holdfast-coa-store-"));
	world = await openCoaWorld({ HOLDFAST_COA_STORE: store, HOLDFAST_COA_URL: COA_URL });
	folder = await mkdtemp(path.join(tmpdir(), "holdfast-coa-in-"));
	await world.has({
		products: [
			{ slug: "serum", name: "Serum" },
			{ slug: "tea", name: "Tea" },
		],
		formulas: [{ code: "SERUM-30", name: "Serum", status: "active" }],
		skus: [
			{ sku: "S", name: "S", product: "serum", kind: "single", components: [{ formula: "SERUM-30", per_kit: 1 }] },
		],
		lots: [
			{ formula: "SERUM-30", brand_code: null, batch_number: "A-1", units: 5 },
			{ formula: "SERUM-30", brand_code: null, batch_number: "T,1", units: 5 },
		],
	});
	for (const name of ["a", "b", "c"]) await writeFile(path.join(folder, `${name}.pdf`), await pdfOf(name, name));
});
afterAll(async () => {
	await world.stop();
	await rm(folder, { recursive: true });
	await rm(store, { recursive: true, force: true });
});

const HEAD = "product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,file";
const write = (...rows: string[]) => writeFile(path.join(folder, "certificates.csv"), [HEAD, ...rows, ""].join("\r\n"));

const coaEnv = () => ({
	HOLDFAST_DATABASE_URL: world.deps.databaseUrl,
	HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
	HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
	HOLDFAST_COA_STORE: store,
	HOLDFAST_COA_URL: COA_URL,
	HOLDFAST_ADMIN_SOCKET: world.deps.config.adminSocket,
});

async function coa(...args: string[]) {
	const { code, json, err } = await holdfast(["coa", ...args, "--json"], coaEnv());
	return { code, json, err };
}

/** The human-readable output. */
const coaSaid = async (...args: string[]): Promise<string> => (await holdfast(["coa", ...args], coaEnv())).out;

const ROWS = [
	"serum,Serum,A-1,30 ml,2026-08-20,Lab,99.1,current,a.pdf",
	"serum,,A-2,,,,,draft,b.pdf",
	'tea,Tea,"T,1",,,,100,archived,c.pdf',
];

describe("holdfast coa", () => {
	it("imports a folder: a dry run shows all and changes nothing, a second run changes nothing", async () => {
		await write(...ROWS);
		const dry = await coa("import", folder, "--dry-run");
		expect([dry.code, dry.json.created, dry.json.dry_run]).toEqual([0, 3, true]);
		expect(dry.json.without_lot).toEqual([
			{ slug: "serum", batch_number: "A-2" },
			{ slug: "tea", batch_number: "T,1" },
		]);
		expect((await coa("list")).json.items).toEqual([]);
		const first = await coa("import", folder);
		expect([first.code, first.json.created]).toEqual([0, 3]);
		const again = await coa("import", folder);
		expect(again.json).toMatchObject({ created: 0, changed: 0, unchanged: 3, changes: [] });
		const { json } = await coa("list");
		const listed = json.items.map((one: Record<string, unknown>) => [one["slug"], one["batch_number"], one["status"]]);
		expect(listed).toEqual([
			["serum", "A-1", "current"],
			["serum", "A-2", "draft"],
			["tea", "T,1", "archived"],
		]);
	}, 180_000);

	it("retires with the recall of the lots that are still for sale, or names it", async () => {
		const lots = ["W-1", "W-2"].map((batch_number) => ({
			formula: "SERUM-30",
			brand_code: null,
			batch_number,
			units: 9,
		}));
		await world.has({ lots });
		await world.certify({ slug: "serum", batchNumber: "W-1" }, { slug: "serum", batchNumber: "W-2" });
		const retired = await coa("retire", "serum", "W-1", "--reason", "wrong figure");
		expect(retired.json).toMatchObject({ from: "current", status: "retired", changed: true });
		expect(retired.json.still_for_sale).toEqual({
			lots: 1,
			available: 9,
			bound: 0,
			recall: [{ batch_number: "W-1", formula: null }],
		});
		const said = await coaSaid("retire", "serum", "W-1");
		expect(said).toMatch(/9 units of this batch are still for sale, in 1 lot; holds and orders have 0 more/);
		expect(said).toMatch(/stock recall --batch W-1 --reason …$/m);
		expect((await coa("retire", "serum", "W-2", "--recall")).code).toBe(2);
		const both = await coa("retire", "serum", "W-2", "--recall", "--reason", "lab report 7");
		expect(both.json).toMatchObject({ from: "current", status: "retired", changed: true, still_for_sale: null });
		expect(both.json.recalled).toMatchObject({ moved: 9, left: 0 });
		const { rows } = await world.db.query(
			"select l.available, c.retire_reason from lot l join certificate c using (batch_number) where batch_number = 'W-2'",
		);
		expect(rows).toMatchObject([{ available: 0, retire_reason: "recall" }]);
		const late = await coa("retire", "serum", "W-1", "--recall", "--reason", "lab report 7");
		expect(late.json).toMatchObject({ from: "retired", changed: false, recalled: { moved: 9 } });
		expect((await coa("retire", "serum", "W-1")).json.still_for_sale).toBeNull();
		expect((await coa("retire", "serum", "A-2", "--recall", "--reason", "x")).code).toBe(1); // a draft
	}, 180_000);

	it("names each field that changes, and keeps the certificate", async () => {
		await write(
			ROWS[0]?.replace("99.1", "98.05").replace("a.pdf", "b.pdf") ?? "",
			ROWS[1]?.replace("draft", "current") ?? "",
		);
		const { json } = await coa("import", folder);
		expect(json).toMatchObject({ created: 0, changed: 2, unchanged: 0 });
		const fields = json.changes.map((one: { fields: { field: string }[] }) => one.fields.map(({ field }) => field));
		expect(fields).toEqual([["purity_pct", "file"], ["status"]]);
	});

	it("refuses the whole, naming file and line, when anything is wrong", async () => {
		const outside = path.join(path.dirname(folder), "outside.pdf");
		await writeFile(outside, await pdfOf("outside", "x"));
		await symlink(outside, path.join(folder, "link.pdf"));
		await writeFile(path.join(folder, "page.pdf"), "<!doctype html>");
		await write(
			"serum,Serum,N-1,,,,,current,../outside.pdf",
			"serum,Serum,N-2,,,,,current,link.pdf",
			"serum,Serum,N-3,,,,,current,page.pdf",
			"serum,Serum,N-4,,2026-02-30,,,current,a.pdf",
			"serum,Serum,N-5,,,,100.001,current,a.pdf",
			"serum,Serum,N-6,,,,,retired,a.pdf",
			"serum,Serum,N-7,,,,,current,a.pdf",
			"serum,Serum,N-7,,,,,current,a.pdf",
			"serum,Serum,,,,,,current,a.pdf",
			`serum,Serum,${"x".repeat(201)},,,,,current,a.pdf`,
			"serum,Serum,N-8,,,,,current,",
			"serum,Serum,N-9,,,,,current,/etc/passwd",
			"serun,Serum,N-10,,,,,retired,a.pdf",
			"nothing,Nothing,N-11,,,,,current,a.pdf",
		);
		const { code, json } = await coa("import", folder);
		expect(code).toBe(1);
		const at = json.error.problems.map((one: { at: string }) => one.at.replace(/^certificates\.csv line /, ""));
		expect(at).toEqual([
			"2, file",
			"3, file",
			"4, file",
			"5, tested_on",
			"6, purity_pct",
			"7, status",
			"9, batch_number",
			"10, batch_number",
			"11, batch_number",
			"12, file",
			"13, file",
			"14, status",
			"15",
			"14, product_slug",
		]);
		const messages = json.error.problems.map((one: { message: string }) => one.message);
		expect(messages.slice(-2)).toEqual([
			'names product "nothing", which does not exist: import it first',
			'names product "serun", which does not exist: did you mean "serum"?',
		]);
		await write("nothing,Nothing,N-1,,,,,current,a.pdf");
		expect((await coa("import", folder)).json.error.problems[0].message).toMatch(/does not exist/);
		expect((await coa("show", "N-1")).json.error.code).toBe("not_found");
		await rm(outside);
	}, 180_000);

	it("publishes, archives and retires; a retired one gets a successor only when that is asked for", async () => {
		expect((await coa("archive", "serum", "A-1")).json).toMatchObject({ from: "current", status: "archived" });
		expect((await coa("publish", "serum", "A-1")).json).toMatchObject({ from: "archived", status: "current" });
		expect((await coa("publish", "serum", "A-1")).json).toMatchObject({ changed: false });
		expect((await coa("retire", "serum", "A-1", "--reason", "lab error")).json).toMatchObject({ status: "retired" });
		expect((await coa("publish", "serum", "A-1")).json.error.code).toBe("not_possible_now");
		expect((await coa("publish", "serum", "A-0")).json.error.code).toBe("not_found");
		await write(ROWS[0] ?? "");
		expect((await coa("import", folder)).json.error.problems[0].message).toMatch(/with reissue, a new/);
		expect((await coa("import", folder, "--reissue")).json.created).toBe(1);
		const statuses = (await coa("show", "A-1")).json.items.map((one: { status: string; retire_reason: string }) => [
			one.status,
			one.retire_reason,
		]);
		expect(statuses).toEqual([
			["current", null],
			["retired", "lab error"],
		]);
	}, 180_000);

	it("draws QR codes and labels, and none for a batch without a certificate", async () => {
		const out = (name: string) => path.join(folder, name);
		expect((await coa("qr", "A-1", "--out", out("q.svg"))).json.verify_url).toBe(`${COA_URL}/coa/lookup?lot=A-1`);
		expect(await readFile(out("q.svg"), "utf8")).toMatch(/^<svg /);
		await coa("qr", "A-1", "--format", "png", "--out", out("q.png"));
		expect((await readFile(out("q.png"))).subarray(1, 4).toString()).toBe("PNG");
		expect((await coa("labels", "A-1", "T,1", "--copies", "20", "--out", out("l.pdf"))).json.labels).toBe(40);
		expect((await readFile(out("l.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
		expect((await coa("qr", "A-0", "--out", out("n.svg"))).json.error.code).toBe("not_found");
	}, 180_000);

	it("verify finds a PDF that is gone or damaged", async () => {
		const env = {
			HOLDFAST_DATABASE_URL: world.deps.databaseUrl,
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
		};
		const verify = async () => (await holdfast(["verify", "--json"], { ...env, HOLDFAST_COA_STORE: store })).json;
		expect(await verify()).toMatchObject({ ok: true });
		const { items } = (await coa("show", "A-1")).json;
		const file = path.join(store, items[0].digest.slice(0, 2), `${items[0].digest}.pdf`);
		const good = await readFile(file);
		const bytes = Buffer.from(good);
		bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
		await writeFile(file, bytes);
		expect(await verify()).toMatchObject({ ok: false, differences: [{ rule: "certificate-file" }] });
		const recovered = await holdfast(["restore", "--recovered", "--json"], { ...env, HOLDFAST_COA_STORE: store });
		expect([recovered.code, recovered.json.verify]).toMatchObject([
			1,
			{ ok: false, differences: [{ rule: "certificate-file" }] },
		]);
		await writeFile(path.join(folder, "found.pdf"), good);
		expect((await coa("store", path.join(folder, "found.pdf"))).json.items).toMatchObject([
			{ name: "found.pdf", sha256: items[0].digest, bytes: good.length },
		]);
		expect(await verify()).toMatchObject({ ok: true });
		expect((await coa("store", path.join(folder, "certificates.csv"))).code).toBe(1);
		expect((await coa("store", path.join(folder, "nothing.pdf"))).json.error.message).toContain("cannot be read");
	}, 180_000);

	it("verify finds a PDF that is gone, also of a certificate that was withdrawn", async () => {
		const digest = (await coa("list", "--status", "retired")).json.items[0].digest as string;
		const file = path.join(store, digest.slice(0, 2), `${digest}.pdf`);
		const good = await readFile(file);
		await rm(file);
		const env = { ...coaEnv(), HOLDFAST_COA_STORE: store };
		const { json } = await holdfast(["verify", "--json"], env);
		expect(json).toMatchObject({ ok: false, differences: [{ rule: "certificate-file" }] });
		await writeFile(path.join(folder, "found.pdf"), good);
		expect((await coa("store", path.join(folder, "found.pdf"))).code).toBe(0);
		expect((await holdfast(["verify", "--json"], env)).json.ok).toBe(true);
	}, 180_000);
});
