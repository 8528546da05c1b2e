import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	AddDemand,
	ClearDemand,
	GetDemand,
	ListBuffers,
	ListDemand,
	PutBuffer,
	PutDemand,
	ShipDemand,
} from "../../src/inventory/demand/admin-contract.ts";
import { noteOpenOrder } from "../../src/inventory/demand/note-report.ts";
import { ImportDemand } from "../../src/upkeep/import/demand-admin-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { at, settings } from "../demand-world.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: ["CALM-60", "SLEEP-30"].map((code) => ({ code, name: code, status: "active" })),
		skus: [{ sku: "CALM", name: "Calm", kind: "single", components: [{ formula: "CALM-60", per_kit: 1 }] }],
		lots: [{ formula: "CALM-60", brand_code: "ACME", batch_number: "C-1", units: 20 }],
	});
});
afterAll(() => house.close());

type Headers = Record<string, string>;
const entry = (units: number, formula = "CALM-60", brand_code: string | null = "ACME") => ({
	formula,
	brand_code,
	units,
});
const add = (reference: string, units: number, more: object = {}, headers: Headers = {}) =>
	operate(house, AddDemand, { body: { reference, ...entry(units), ...more }, headers });
const put = (reference: string, items: readonly object[], headers: Headers = {}) =>
	operate(house, PutDemand, { params: { reference }, body: { items }, headers });
const read = (reference: string) => operate(house, GetDemand, { params: { reference } });
const clear = (reference: string, headers: Headers = {}) =>
	operate(house, ClearDemand, { params: { reference }, headers });
const ship = (reference: string, body: object = {}, headers: Headers = {}) =>
	operate(house, ShipDemand, { params: { reference }, body, headers });
const list = async (query = "") => (await operate(house, ListDemand, { query })).json.data;
const unitsOf = async (reference: string): Promise<string[]> => {
	const { status, json } = await read(reference);
	if (status === 404) return [];
	return json.data.items.map((one: Record<string, unknown>) => `${one.units} ${one.formula} ${one.brand_code}`);
};
const reported = (reference: string) =>
	noteOpenOrder(house.db, settings, {
		source: "label",
		reference,
		store: "known",
		modifiedAt: at(1),
		lines: [{ sku: "CALM", qty: 1 }],
	});

describe("Operators enter demand", () => {
	it("of one formula and pool under a reference, and replace it; what is so already leaves no row", async () => {
		const rows = await auditRows(house);
		const made = await add("PO-1", 5);
		expect([made.status, made.json.data]).toEqual([201, { created: 1, changed: 0, unchanged: 0 }]);
		expect((await add("PO-1", 3, { brand_code: null })).status).toBe(201);
		const changed = await add("PO-1", 6);
		expect([changed.status, changed.json.data]).toEqual([200, { created: 0, changed: 1, unchanged: 0 }]);
		expect((await add("PO-1", 6)).json.data.unchanged).toBe(1);
		expect(await unitsOf("PO-1")).toEqual(["6 CALM-60 ACME", "3 CALM-60 null"]);
		expect(await auditRows(house)).toBe(rows + 3);
		const { rows: last } = await house.db.query("select operation, about from audit_log order by seq desc limit 1");
		expect(last).toEqual([{ operation: "add_demand", about: "PO-1" }]);
	});

	it("once under an Idempotency-Key", async () => {
		const key = { "idempotency-key": "po-2" };
		const [first, again] = [await add("PO-2", 5, {}, key), await add("PO-2", 5, {}, key)];
		expect([again.status, again.json, again.headers["idempotent-replayed"]]).toEqual([201, first.json, "true"]);
		expect((await add("PO-2", 6, {}, key)).json.error.code).toBe("idempotency_conflict");
	});

	it.for([
		[404, { formula: "calm-60" }, 'did you mean "CALM-60"?'],
		[404, { brand_code: "acme" }, 'did you mean "ACME"?'],
		[400, { units: 0 }, "/units"],
		[400, { reference: "" }, "/reference"],
		[400, { reference: "x".repeat(201) }, "/reference"],
		[400, { unit: 1 }, "/unit"],
	] as const)("%i for %j, and nothing is entered", async ([status, more, message]) => {
		const refused = await add("PO-3", 1, more);
		expect([refused.status, refused.json.error.message]).toEqual([status, expect.stringContaining(message)]);
		expect((await read("PO-3")).status).toBe(404);
	});
});

describe("The demand under a reference", () => {
	it("is read, and replaced whole: what is not named is gone", async () => {
		const made = await put("R-1", [entry(5), entry(2, "SLEEP-30"), entry(1, "CALM-60", null)]);
		expect([made.status, made.json.data]).toMatchObject([
			201,
			{
				reference: "R-1",
				source: null,
				items: [
					{ formula: "CALM-60", brand_code: "ACME", units: 5, since: expect.any(String) },
					{ formula: "CALM-60", brand_code: null, units: 1 },
					{ formula: "SLEEP-30", brand_code: "ACME", units: 2 },
				],
			},
		]);
		expect((await read("R-1")).json).toEqual(made.json);
		const rows = await auditRows(house);
		const replaced = await put("R-1", [entry(7), entry(2, "SLEEP-30", null)]);
		expect(replaced.status).toBe(200);
		expect(await unitsOf("R-1")).toEqual(["7 CALM-60 ACME", "2 SLEEP-30 null"]);
		expect((await put("R-1", [entry(7), entry(2, "SLEEP-30", null)])).json).toEqual(replaced.json);
		expect(await auditRows(house)).toBe(rows + 1);
	});

	it("is replaced only as it was read, and by one of two at the same moment", async () => {
		await put("R-2", [entry(1)]);
		const { etag } = (await read("R-2")).headers;
		const headers = { "if-match": String(etag) };
		const rows = await auditRows(house);
		const answers = await Promise.all([2, 3].map((units) => put("R-2", [entry(units)], headers)));
		expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
		expect((await clear("R-2", headers)).json.error.code).toBe("changed_meanwhile");
		expect((await ship("R-2", {}, headers)).status).toBe(412);
		expect((await put("nothing", [entry(1)], headers)).status).toBe(404);
		expect(await auditRows(house)).toBe(rows + 4);
	});

	it("is what one of many says who replace it at the same moment, never a mixture", async () => {
		const wanted = [entry(1), entry(1, "SLEEP-30"), entry(1, "CALM-60", null)];
		const answers = await Promise.all(wanted.map((one) => put("R-3", [one])));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
		expect(await unitsOf("R-3")).toHaveLength(1);
	});

	it.for([
		[404, [entry(1), entry(1, "calm-60")], "not_found"],
		[400, [entry(1), entry(2)], "invalid_input"],
		[400, [], "invalid_input"],
		[400, [entry(0)], "invalid_input"],
		[400, [{ ...entry(1), reference: "R-4" }], "invalid_input"],
	] as const)("%i for %j, and it stays", async ([status, items, code]) => {
		await put("R-4", [entry(9)]);
		const refused = await put("R-4", items);
		expect([refused.status, refused.json.error.code]).toEqual([status, code]);
		expect(await unitsOf("R-4")).toEqual(["9 CALM-60 ACME"]);
	});

	it("is cleared; what is not there is cleared already", async () => {
		await put("R-5", [entry(1), entry(2, "SLEEP-30")]);
		const rows = await auditRows(house);
		expect((await clear("R-5")).json.data).toEqual({ cleared: 2 });
		expect((await read("R-5")).status).toBe(404);
		expect((await clear("R-5")).json.data).toEqual({ cleared: 0 });
		expect(await auditRows(house)).toBe(rows + 1);
	});

	it("is not replaced while a platform reports it", async () => {
		const { db } = house;
		await db.query(
			"insert into demand_store (store, pool_id, shared) select 'known', pool_id, false from pool where brand_code = 'ACME'",
		);
		await reported("9");
		const { json } = await read("label:9");
		expect(json.data).toMatchObject({ source: "label", items: [{ formula: "CALM-60", units: 1 }] });
		const rows = await auditRows(house);
		const refused = await put("label:9", [entry(4)]);
		expect([refused.status, refused.json.error]).toEqual([
			409,
			{ code: "not_possible_now", message: "label:9 is reported by label: change or cancel the order there." },
		]);
		const shipped = await ship("label:9");
		expect([shipped.status, shipped.json.error.code]).toEqual([409, "not_possible_now"]);
		expect(await auditRows(house)).toBe(rows + 2);
		expect(await unitsOf("label:9")).toEqual(["1 CALM-60 ACME"]);
	});
});

describe("Demand that was shipped", () => {
	it("leaves the stock once, in the name of who said so, and is gone", async () => {
		await put("S-1", [entry(4), entry(3, "SLEEP-30")]);
		const shipped = await ship("S-1", { reason: "picked up" });
		expect([shipped.status, shipped.json.data]).toEqual([
			200,
			{ reference: "S-1", drawn: [{ fg_id: expect.any(String), units: 4 }], drawn_units: 4, missing_units: 3 },
		]);
		const { rows } = await house.db.query(
			`select m.units, a.body from unit_move m join audit_log a on a.actor = m.actor and a.request_id = m.request_id
			  where m.cause_id = 'S-1'`,
		);
		expect(rows).toEqual([{ units: 4, body: { reason: "picked up" } }]);
		expect((await ship("S-1")).status).toBe(404);
		expect((await ship("S-1", { share: true })).status).toBe(400);
		expect((await verify(house.db)).ok).toBe(true);
	});
});

describe("The list of demand", () => {
	it("has filters and a search, page by page, the oldest first", async () => {
		await put("L-1", [entry(1), entry(2, "SLEEP-30")]);
		await put("L-2", [entry(3, "CALM-60", null)]);
		await put("l_3", [entry(4)]);
		const references = async (query: string) =>
			(await list(query)).items.map((one: { reference: string }) => one.reference);
		expect(await references("?q=l-")).toEqual(["L-1", "L-1", "L-2"]);
		expect(await references("?q=l_")).toEqual(["l_3"]);
		expect(await references("?reference=L-1&formula=SLEEP-30")).toEqual(["L-1"]);
		expect(await references("?q=L-&brand_code=ACME")).toEqual(["L-1", "L-1"]);
		expect(await references("?formula=NOPE")).toEqual([]);
		expect((await operate(house, ListDemand, { query: "?brand_code=NOPE" })).status).toBe(404);
		expect((await operate(house, ListDemand, { query: "?brand=ACME" })).status).toBe(400);
		const all = (await list("?limit=500")).items;
		const paged: object[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page = await list(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
			paged.push(...page.items);
			cursor = page.next_cursor;
		}
		expect(paged).toEqual(all);
		expect(all.length).toBeGreaterThan(5);
		for (const wrong of ["x", Buffer.from("1 2 3 4").toString("base64url")])
			expect((await operate(house, ListDemand, { query: `?cursor=${wrong}` })).status).toBe(400);
	});
});

describe("Safety buffers", () => {
	const buffer = (body: object, headers: Headers = {}) => operate(house, PutBuffer, { body, headers });
	const buffers = async (query = "") => (await operate(house, ListBuffers, { query })).json.data;

	it("are set, changed and ended, and listed by formula and brand", async () => {
		const rows = await auditRows(house);
		const made = await buffer(entry(6, "SLEEP-30", null));
		expect([made.status, made.json.data]).toEqual([
			201,
			{ ...entry(6, "SLEEP-30", null), created: 1, changed: 0, unchanged: 0 },
		]);
		expect((await buffer(entry(6, "SLEEP-30", null))).status).toBe(200);
		for (const one of [entry(2), entry(3, "CALM-60", null), entry(4, "SLEEP-30")]) await buffer(one);
		expect((await buffer(entry(7, "SLEEP-30", null))).json.data.changed).toBe(1);
		expect(await auditRows(house)).toBe(rows + 5);
		const all = [entry(2), entry(3, "CALM-60", null), entry(4, "SLEEP-30"), entry(7, "SLEEP-30", null)];
		expect(await buffers()).toEqual({ items: all, next_cursor: null });
		expect((await buffers("?formula=CALM-60")).items).toEqual(all.slice(0, 2));
		expect((await buffers("?brand_code=ACME")).items).toEqual([all[0], all[2]]);
		const paged: object[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page = await buffers(`?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
			paged.push(...page.items);
			cursor = page.next_cursor;
		}
		expect(paged).toEqual(all);
		for (const one of all) expect((await buffer({ ...one, units: 0 })).status).toBe(200);
		expect((await buffers()).items).toEqual([]);
	});

	it("are refused where they cannot be", async () => {
		expect((await buffer(entry(1, "calm-60"))).json.error.message).toContain('did you mean "CALM-60"?');
		expect((await buffer(entry(-1))).status).toBe(400);
		const [first, other] = [await buffer(entry(1), KEY), await buffer(entry(2), KEY)];
		expect([first.status, other.status]).toEqual([201, 409]);
		for (const query of ["?formula=NOPE", "?brand_code=NOPE"])
			expect((await operate(house, ListBuffers, { query })).status).toBe(404);
		expect((await operate(house, ListBuffers, { query: "?cursor=eA" })).status).toBe(400);
	});
	const KEY = { "idempotency-key": "buffer" };
});

describe("A file of demand", () => {
	const csv = (name: string, ...lines: string[]) => ({
		name,
		bytes: ["formula,brand_code,units,reference", ...lines].join("\n"),
	});
	const bring = (files: { name: string; bytes: string | Uint8Array<ArrayBuffer> }[], body: object = {}) =>
		operate(house, ImportDemand, { body, files });

	it("is imported whole; 0 removes; a dry run does nothing, and what is so already leaves no row", async () => {
		const rows = await auditRows(house);
		const files = [csv("a.csv", "CALM-60,ACME,5,I-1", "SLEEP-30,,2,I-1"), csv("b.csv", "CALM-60,,1,I-2")];
		const counts = { created: 3, changed: 0, unchanged: 0 };
		expect((await bring(files, { dry_run: true })).json.data).toEqual({ ...counts, dry_run: true });
		expect(await unitsOf("I-1")).toEqual([]);
		const done = await bring(files);
		expect([done.status, done.json.data]).toEqual([200, counts]);
		expect(await unitsOf("I-1")).toEqual(["5 CALM-60 ACME", "2 SLEEP-30 null"]);
		expect((await bring(files)).json.data).toEqual({ created: 0, changed: 0, unchanged: 3 });
		expect((await bring([csv("a.csv", "CALM-60,ACME,0,I-1", "SLEEP-30,,3,I-1")])).json.data.changed).toBe(2);
		expect(await unitsOf("I-1")).toEqual(["3 SLEEP-30 null"]);
		expect(await auditRows(house)).toBe(rows + 2);
		const { rows: kept } = await house.db.query(
			"select about from audit_log where operation = 'import_demand' order by seq",
		);
		expect(kept).toEqual([{ about: "a.csv, b.csv" }, { about: "a.csv" }]);
	});

	it("is refused with every problem and its place, and nothing of it is there", async () => {
		const rows = await auditRows(house);
		const refused = await bring([
			csv("a.csv", "CALM-60,ACME,5,J-1", "calm-60,,none,J-1", "CALM,NOBODY,1,J-1", "CALM-60,ACME,6,J-1"),
			{ name: "b.csv", bytes: new Uint8Array([0xff, 0xfe]) },
			{ name: "c.csv", bytes: "formula,units\nCALM-60,1\n" },
		]);
		expect([refused.status, refused.json.error.code]).toEqual([400, "invalid_input"]);
		const places = refused.json.error.problems.map(({ at: place }: { at: string }) => place);
		expect(places.toSorted()).toEqual([
			"a.csv line 3, formula",
			"a.csv line 3, units",
			"a.csv line 4, brand_code",
			"a.csv line 4, formula",
			"a.csv line 5",
			"b.csv",
			"c.csv line 1",
			"c.csv line 1",
		]);
		expect(refused.json.error.message).toMatch(/^a\.csv line 3, units: [^]*Nothing was changed/);
		expect(await unitsOf("J-1")).toEqual([]);
		expect((await operate(house, ImportDemand, { body: {} })).json.error.message).toMatch(/^There is no file: /);
		expect(await auditRows(house)).toBe(rows);
	});
});
