import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noteOpenOrder, noteShipped } from "../../src/inventory/demand/note-report.ts";
import {
	DismissException,
	GetStore,
	ListExceptions,
	ListStores,
	PutStore,
	RemoveStore,
	RetryException,
	RetryExceptions,
} from "../../src/inventory/demand/reported-admin-contract.ts";
import { ReceiveBatch } from "../../src/inventory/stock/lot-write-contract.ts";
import { GetRun } from "../../src/partners/runs/admin-contract.ts";
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
		formulas: [{ code: "F", name: "F", status: "active" }],
		skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
	});
});
afterAll(() => house.close());

type Headers = Record<string, string>;
let n = 0;
/** A store that no other test names. */
let store: string;
beforeEach(() => {
	store = `shop ${++n}`;
});
const name = (reference: string) => `${store}-${reference}`;
const open = (reference: string, qty: number, sku = "ONE") =>
	noteOpenOrder(house.db, settings, {
		source: "label",
		reference: name(reference),
		store,
		modifiedAt: at(1),
		lines: [{ sku, qty }],
	});
const shipped = (reference: string, qty: number, sku = "ONE") =>
	noteShipped(house.db, settings, {
		source: "label",
		reference: name(reference),
		store,
		shippedAt: at(2),
		lines: [{ sku, qty }],
	});
const receive = async (units: number, brand_code: string | null = "ACME") => {
	const body = { formula: "F", brand_code, batch_number: `B${++n}`, units, new_batch: true };
	expect((await operate(house, ReceiveBatch, { body })).status).toBe(201);
};
const set = (body: object, headers: Headers = {}, id = store) =>
	operate(house, PutStore, { params: { id }, body, headers });
const remove = (headers: Headers = {}) => operate(house, RemoveStore, { params: { id: store }, headers });
const read = () => operate(house, GetStore, { params: { id: store } });
const stores = async (query = "") => (await operate(house, ListStores, { query })).json.data;
const exceptions = async (reference: string) =>
	(await operate(house, ListExceptions, { query: `?reference=${encodeURIComponent(`label:${name(reference)}`)}` })).json
		.data.items;
const promised = async (): Promise<number> =>
	(
		await house.db.query<{ units: number }>(
			"select coalesce(sum(units), 0)::int as units from demand where reference like $1",
			[`label:${store}-%`],
		)
	).rows[0]?.units ?? 0;

describe("A store", () => {
	it("is set, read, set anew and removed, and its pending orders follow", async () => {
		await open("1", 4);
		await open("2", 3);
		expect((await stores()).unknown).toContain(store);
		expect((await read()).status).toBe(404);
		const rows = await auditRows(house);
		const made = await set({ brand_code: "ACME" });
		expect([made.status, made.json.data]).toEqual([201, { store, brand_code: "ACME", shared: false, orders: 2 }]);
		expect(await promised()).toBe(7);
		expect((await read()).json.data).toEqual({ store, brand_code: "ACME", shared: false });
		const again = await set({ brand_code: null, shared: true });
		expect([again.status, again.json.data]).toEqual([200, { store, brand_code: null, shared: true, orders: 2 }]);
		const gone = await remove();
		expect([gone.status, gone.json.data]).toEqual([200, { removed: true, orders: 2 }]);
		expect([await promised(), (await exceptions("1"))[0].kind]).toEqual([0, "unknown_store"]);
		expect(await auditRows(house)).toBe(rows + 3);
		expect((await remove()).json.data).toEqual({ removed: false, orders: 0 });
		expect(await auditRows(house)).toBe(rows + 3);
	});

	it("is set once under an Idempotency-Key, and only as it was read", async () => {
		const key = { "idempotency-key": store };
		const [first, again] = [await set({ brand_code: "ACME" }, key), await set({ brand_code: "ACME" }, key)];
		expect([again.status, again.json, again.headers["idempotent-replayed"]]).toEqual([201, first.json, "true"]);
		expect((await set({ brand_code: null }, key)).json.error.code).toBe("idempotency_conflict");
		const headers = { "if-match": String((await read()).headers.etag) };
		expect((await set({ brand_code: null }, headers)).status).toBe(200);
		const rows = await auditRows(house);
		expect((await set({ brand_code: "ACME" }, headers)).json.error.code).toBe("changed_meanwhile");
		expect((await remove(headers)).status).toBe(412);
		expect(await auditRows(house)).toBe(rows + 2);
		expect((await read()).json.data.brand_code).toBe(null);
		await remove();
		expect([(await remove(headers)).status, (await set({ brand_code: null }, headers)).status]).toEqual([404, 404]);
	});

	it.for([
		[404, { brand_code: "acme" }, 'did you mean "ACME"?'],
		[400, { brand_code: "SANDBOX" }, "its units never ship"],
		[400, {}, "/brand_code"],
		[400, { brand_code: null, brand: 1 }, "/brand"],
	] as const)("%i for %j, and it stays unknown", async ([status, body, message]) => {
		const refused = await set(body);
		expect([refused.status, refused.json.error.message]).toEqual([status, expect.stringContaining(message)]);
		expect((await read()).status).toBe(404);
	});

	it("whose orders take long is a run, and set when its request is answered", async () => {
		await open("1", 4);
		const gate = await house.db.take();
		await gate.query("begin");
		await gate.query("select from reported_order where reference = $1 for update", [`label:${name("1")}`]);
		const key = { "idempotency-key": store };
		const answer = await set({ brand_code: "ACME" }, key);
		expect(answer.status).toBe(202);
		expect((await read()).status).toBe(200);
		await gate.query("rollback");
		gate.release();
		const { run_id } = answer.json.data;
		const run = async () => (await operate(house, GetRun, { params: { run_id } })).json.data;
		await expect.poll(async () => (await run()).status).toBe("done");
		expect((await run()).result).toEqual({ store, brand_code: "ACME", shared: false, orders: 1 });
		expect(await promised()).toBe(4);
		expect((await set({ brand_code: "ACME" }, key)).status).toBe(201);
	});

	it("is found in the list, page by page", async () => {
		for (const id of ["list a", "list b", "list%c"]) await set({ brand_code: id === "list b" ? null : "ACME" }, {}, id);
		const names = async (query: string) => (await stores(query)).items.map((one: { store: string }) => one.store);
		expect(await names("?q=LIST")).toEqual(["list a", "list b", "list%c"]);
		expect(await names("?q=t%25")).toEqual(["list%c"]);
		expect(await names("?q=list&brand_code=ACME")).toEqual(["list a", "list%c"]);
		const { next_cursor } = await stores("?q=list&limit=2");
		expect(await names(`?q=list&limit=2&cursor=${next_cursor}`)).toEqual(["list%c"]);
		for (const [query, status] of [
			["?brand_code=NOPE", 404],
			["?cursor=_", 400],
			["?brand=ACME", 400],
		] as const)
			expect((await operate(house, ListStores, { query })).status).toBe(status);
	});
});

describe("An exception", () => {
	const retry = (id: number | string, body: object = {}) =>
		operate(house, RetryException, { params: { id: String(id) }, body });
	const dismiss = (id: number | string, body: object) =>
		operate(house, DismissException, { params: { id: String(id) }, body });

	it("tells what happened and what to do, and is listed by reference and kind, page by page", async () => {
		await shipped("1", 2);
		await shipped("1b", 1, "nope");
		const [first] = await exceptions("1");
		expect(first).toEqual({
			exception_id: expect.any(Number),
			reference: `label:${name("1")}`,
			kind: "unknown_store",
			subject: store,
			brand_codes: [],
			promised_kits: 0,
			shipped_kits: 2,
			missing_units: 0,
			created_at: expect.any(String),
			what: `Nobody has set whose stock store ${JSON.stringify(store)} sells: 2 shipped and not drawn down.`,
			todo: "Name the brand of the store.",
		});
		const page = async (query: string) => (await operate(house, ListExceptions, { query })).json.data;
		const ids = ({ items }: { items: { exception_id: number }[] }) => items.map((one) => one.exception_id);
		const all = ids(await page("?limit=500"));
		const begun = await page("?limit=1");
		expect([...ids(begun), ...ids(await page(`?limit=500&cursor=${begun.next_cursor}`))]).toEqual(all);
		const kinds = (await page("?kind=unknown_sku&limit=500")).items.map((one: { kind: string }) => one.kind);
		expect(new Set(kinds)).toEqual(new Set(["unknown_sku"]));
		for (const query of ["?kind=other", "?cursor=eA", "?id=1"])
			expect((await operate(house, ListExceptions, { query })).status).toBe(400);
	});

	it("is tried again: alone, from the shared stock too, or with all others", async () => {
		await set({ brand_code: "ACME" });
		await shipped("1", 3);
		await shipped("2", 2);
		const [short] = await exceptions("1");
		expect(short).toMatchObject({ kind: "shortage", subject: "F", brand_codes: ["ACME"], missing_units: 3 });
		await receive(1);
		const rows = await auditRows(house);
		const alone = await retry(short.exception_id, { reason: "it came" });
		expect([alone.status, alone.json.data]).toEqual([200, { references: 1, drawn_units: 1, missing_units: 2 }]);
		await receive(1, null);
		expect((await retry(short.exception_id)).json.data).toMatchObject({ drawn_units: 0, missing_units: 2 });
		expect((await retry(short.exception_id, { shared: true })).json.data).toMatchObject({
			drawn_units: 1,
			missing_units: 1,
		});
		expect(await auditRows(house), "of three retries and a receipt").toBe(rows + 4);
		await receive(3);
		const all = await operate(house, RetryExceptions, { body: {} });
		expect([all.status, all.json.data]).toMatchObject([200, { drawn_units: 3 }]);
		expect([...(await exceptions("1")), ...(await exceptions("2"))]).toEqual([]);
		const { rows: moves } = await house.db.query(
			`select distinct a.operation from unit_move m join audit_log a on a.actor = m.actor and a.request_id = m.request_id
			  where m.cause_id like $1 order by 1`,
			[`label:${store}-%`],
		);
		expect(moves).toEqual([{ operation: "retry_exception" }, { operation: "retry_exceptions" }]);
		expect((await verify(house.db)).ok).toBe(true);
	});

	it("is dismissed with a reason, once, and nothing is drawn down for it any more", async () => {
		await set({ brand_code: "ACME" });
		await shipped("1", 5);
		const [{ exception_id: id }] = await exceptions("1");
		const rows = await auditRows(house);
		const done = await dismiss(id, { reason: "counted by hand" });
		expect([done.status, done.json.data]).toEqual([
			200,
			{ exception_id: id, reference: `label:${name("1")}`, note: "counted by hand" },
		]);
		const again = await dismiss(id, { reason: "again" });
		expect([again.status, again.json]).toEqual([200, done.json]); // as it is
		expect(await auditRows(house)).toBe(rows + 1);
		await receive(5);
		expect((await retry(id)).json.data).toEqual({ references: 1, drawn_units: 0, missing_units: 0 });
		const { rows: closed } = await house.db.query(
			"select closed_by = (select actor from audit_log where about = $1::text order by seq limit 1) as by_operator, note from demand_exception where exception_id = $1::bigint",
			[String(id)],
		);
		expect(closed).toEqual([{ by_operator: true, note: "counted by hand" }]);
	});

	it("that does not exist is answered 404; a body that is none, 400", async () => {
		for (const id of ["999999999", "seven"]) {
			expect((await retry(id)).json.error.message).toBe(`There is no exception ${id}.`);
			expect((await dismiss(id, { reason: "x" })).status).toBe(404);
		}
		for (const body of [{ reason: "" }, { reason: "x".repeat(501) }, { note: "x" }])
			expect((await dismiss("1", body)).status).toBe(400);
		expect((await retry("1", { all: true })).status).toBe(400);
		expect((await operate(house, RetryExceptions, { body: { shared: true } })).status).toBe(400);
	});
});
