import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reserve } from "../../src/inventory/holds/contract.ts";
import { Products } from "../../src/inventory/stock/contract.ts";
import { openWorld, unique, type World } from "./world.ts";

let world: World;
let acme: string;
let unbound: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
		products: [{ slug: "first", name: "First" }],
		formulas: [
			{ code: "F1", name: "Formula one", status: "active" },
			{ code: "F2", name: "Formula two", status: "active" },
			{ code: "OLD", name: "Old", status: "archived" },
			{ code: "NEW", name: "New", status: "draft" },
		],
		skus: [
			{ sku: "ONE", name: "One", product: "first", kind: "single", components: [{ formula: "F1", per_kit: 1 }] },
			{
				sku: "KIT",
				name: "Kit",
				kind: "kit",
				components: [
					{ formula: "F1", per_kit: 2 },
					{ formula: "F2", per_kit: 1 },
				],
			},
			{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
			{ sku: "ARCHIVED", name: "Archived", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
			{ sku: "DRAFT", name: "Draft", kind: "single", components: [{ formula: "NEW", per_kit: 1 }] },
			{
				sku: "HALF",
				name: "Half archived",
				kind: "kit",
				components: [
					{ formula: "F1", per_kit: 1 },
					{ formula: "OLD", per_kit: 1 },
				],
			},
		],
		lots: [
			{ formula: "F1", brand_code: "ACME", batch_number: "A", units: 9, expires_on: world.day(200) },
			{ formula: "F1", brand_code: "ACME", batch_number: "X", units: 9, expires_on: world.day(-2) },
			{ formula: "F1", brand_code: null, batch_number: "S", units: 4, expires_on: world.day(100) },
			{ formula: "F2", brand_code: null, batch_number: "T", units: 3 },
			{ formula: "F1", brand_code: "BOLT", batch_number: "B", units: 50, expires_on: world.day(3) },
		],
	});
	acme = (await world.key({ brand: "ACME" })).token;
	unbound = (await world.key()).token;
});
afterAll(() => world.stop());

type Query = { updated_since?: string; brand_code?: string; sku?: string; limit?: number; cursor?: string };
const list = (query: Query = {}, key = acme, etag?: string) =>
	world.call(Products, key, query, { headers: etag === undefined ? {} : { "if-none-match": etag } });
const skusOf = async (query: Query = {}, key = acme) => (await list(query, key)).data.items.map(({ sku }) => sku);

/** Follows the list from the start, or from a cursor, to its end. */
async function walk(query: Query, key = acme) {
	const skus: string[] = [];
	for (let cursor = query.cursor, pages = 0; ; pages++) {
		const { data } = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) }, key);
		skus.push(...data.items.map(({ sku }) => sku));
		cursor = data.next_cursor;
		if (!data.has_more || pages > 1_000) return { skus, cursor };
	}
}

describe("200", () => {
	it("lists what can be sold, with its counts and no price", async () => {
		const { data } = await list({ sku: "KIT" });
		const { rows } = await world.db.query<{ code: string; formula_id: string }>("select code, formula_id from formula");
		const ids = new Map(rows.map(({ code, formula_id }) => [code, formula_id]));
		expect(data).toEqual({
			items: [
				{
					sku: "KIT",
					name: "Kit",
					slug: null,
					kind: "kit",
					brand_code: "ACME",
					tracks_inventory: true,
					components: [
						{ formula_id: ids.get("F1"), name: "Formula one", per_kit: 2 },
						{ formula_id: ids.get("F2"), name: "Formula two", per_kit: 1 },
					],
					availability: { available_qty: 3, promised_qty: 0, atp_qty: 3, backorder_qty: 0 },
					earliest_expiry: world.day(100),
					current_coa: null,
					updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
				},
			],
			next_cursor: expect.any(String),
			has_more: false,
			as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		});
		expect((await list({ sku: "ONE" })).data.items[0]).toMatchObject({ slug: "first", kind: "single" });
	});

	it("lists what is not physical, and leaves out what is archived or draft, also in part of a kit", async () => {
		expect((await skusOf()).toSorted()).toEqual(["FEE", "KIT", "ONE"]);
		expect((await list({ sku: "FEE" })).data.items[0]).toMatchObject({
			kind: "non_physical",
			tracks_inventory: false,
			components: [],
			earliest_expiry: null,
			availability: { available_qty: 0, promised_qty: 0, atp_qty: 0, backorder_qty: 0 },
		});
		for (const sku of ["ARCHIVED", "DRAFT", "HALF", "NOPE", "SBX-PLENTY"]) expect(await skusOf({ sku })).toEqual([]);
	});

	it("counts over the pools of the key: another brand's stock and expiry never show", async () => {
		const one = async (key: string, brand_code?: string) =>
			(await list({ sku: "ONE", ...(brand_code === undefined ? {} : { brand_code }) }, key)).data.items[0];
		expect(await one(acme)).toMatchObject({ brand_code: "ACME", availability: { atp_qty: 13 } });
		expect(await one(unbound)).toMatchObject({ brand_code: null, availability: { atp_qty: 4 } });
		const bolt = await one(unbound, "BOLT");
		expect(bolt).toMatchObject({ availability: { atp_qty: 54 }, earliest_expiry: world.day(3) });
		const { token: alone } = await world.key({ brand: "ACME", sharedPool: false });
		expect(await one(alone)).toMatchObject({ availability: { atp_qty: 9 }, earliest_expiry: world.day(200) });
	});

	it("earliest_expiry is the soonest among lots with free, in-date units", async () => {
		const { sku, lots } = await world.stocked([
			{ brand: "ACME", units: 1, expires: world.day(-1) },
			{ brand: "ACME", units: 1, expires: world.day(2) },
			{ brand: "ACME", units: 1, expires: world.day(5) },
			{ brand: "ACME", units: 1 },
		]);
		const earliest = async () => (await list({ sku })).data.items[0]?.earliest_expiry;
		expect(await earliest()).toBe(world.day(2));
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		expect(await earliest()).toBe(world.day(5));
		await world.quarantine(lots[2] as string, "all");
		expect(await earliest()).toBe(null);
	});
});

describe("Paging", () => {
	it("any page size lists the same SKUs in the same order, none missed, none twice", async () => {
		for (let n = 0; n < 7; n++) await world.stocked([{ brand: "ACME", units: 1 }]);
		const all = await skusOf();
		expect(new Set(all).size).toBe(all.length);
		for (const limit of [1, 2, 3, 7, 500]) expect((await walk({ limit })).skus).toEqual(all);
	});

	it("has_more says whether another page has something", async () => {
		const count = (await skusOf()).length;
		expect((await list({ limit: count })).data.has_more).toBe(false);
		expect((await list({ limit: count - 1 })).data.has_more).toBe(true);
	});

	it("the last page's cursor resumes: nothing until the catalogue changes, then exactly what changed", async () => {
		const { cursor } = await walk({});
		expect((await walk({ cursor })).skus).toEqual([]);
		const fresh = await world.stocked([{ brand: "ACME", units: 1 }]);
		await world.has({
			skus: [
				{
					sku: "KIT",
					name: "Kit, renamed",
					kind: "kit",
					components: [
						{ formula: "F1", per_kit: 2 },
						{ formula: "F2", per_kit: 1 },
					],
				},
			],
		});
		expect((await walk({ cursor, limit: 1 })).skus).toEqual([fresh.sku, "KIT"]);
		expect((await walk({ cursor, limit: 1 })).skus).toEqual([fresh.sku, "KIT"]);
	});

	it("an empty page keeps its place", async () => {
		const { cursor } = await walk({});
		const { data } = await list({ cursor });
		expect([data.items, data.has_more, data.next_cursor]).toEqual([[], false, cursor]);
	});

	it("stock that moves does not move the cursor, nor updated_at", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 3 }]);
		const before = (await list({ sku })).data;
		const { cursor } = await walk({});
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		expect((await walk({ cursor })).skus).toEqual([]);
		const after = (await list({ sku })).data;
		expect(after.items[0]).toEqual({
			...before.items[0],
			availability: { ...before.items[0]?.availability, available_qty: 2, atp_qty: 2 },
		});
	});

	it("a SKU whose formula changed its status comes again after the cursor", async () => {
		const { sku, code } = await world.stocked([{ brand: "ACME", units: 3 }]);
		const { cursor } = await walk({});
		await world.has({ formulas: [{ code, name: code, status: "archived" }] });
		expect((await walk({ cursor })).skus).toEqual([]);
		await world.has({ formulas: [{ code, name: code, status: "active" }] });
		expect((await walk({ cursor })).skus).toEqual([sku]);
	});

	it("a cursor is used with the filters it was made with: others are refused", async () => {
		const { data } = await list({ limit: 1, brand_code: "ACME" });
		const cursor = data.next_cursor;
		expect((await list({ limit: 2, brand_code: "ACME", cursor })).verdict).toBe("200");
		for (const other of [
			{},
			{ brand_code: "ACME", sku: "ONE" },
			{ brand_code: "ACME", updated_since: "2020-01-01T00:00:00Z" },
		]) {
			expect((await list({ limit: 1, cursor, ...other })).verdict).toBe("400 invalid_input");
		}
	});

	it("another key's cursor is refused like one that was never made", async () => {
		const { token: other } = await world.key({ brand: "ACME" });
		const { cursor } = await walk({}, other);
		const stranger = await list({ cursor });
		const [after, digest = ""] = Buffer.from(cursor, "base64url").toString().split(".");
		const never = Buffer.from(`${after}.${[...digest].toReversed().join("")}`).toString("base64url");
		const made = await list({ cursor: never });
		expect([stranger.status, stranger.text]).toEqual([made.status, made.text]);
		expect(stranger.verdict).toBe("400 invalid_input");
	});

	it.each(["x", "AAAA", "null", "-1", "MTIz", "{}", "é", "a".repeat(512)])(
		"cursor %s, made by nobody, is refused",
		async (cursor) => {
			const answer = await list({ cursor });
			expect(answer.verdict).toBe("400 invalid_input");
			expect(answer.error.message).toContain("/cursor");
		},
	);
});

describe("updated_since", () => {
	it("lists what changed at or after it", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 1 }]);
		const { items } = (await list({ sku })).data;
		const at = items[0]?.updated_at ?? "";
		expect(await skusOf({ updated_since: at })).toContain(sku);
		const later = new Date(Date.parse(at) + 1).toISOString();
		expect(await skusOf({ updated_since: later })).not.toContain(sku);
		expect(await skusOf({ updated_since: "2020-01-01T00:00:00Z" })).toEqual(await skusOf());
	});

	it("understands any offset", async () => {
		const all = await skusOf();
		for (const updated_since of ["2020-01-01T00:00:00+14:00", "2020-01-01T00:00:00.123456789-11:30"]) {
			expect(await skusOf({ updated_since })).toEqual(all);
		}
	});

	it.each([
		"yesterday",
		"2026-09-06",
		"2026-02-30T00:00:00Z",
		"2026-09-06T25:00:00Z",
		"2026-09-06T00:00:00",
		"0",
		"1757116800",
	])("%s is no time: 400 invalid_input", async (updated_since) => {
		const answer = await list({ updated_since });
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain("/updated_since");
	});
});

describe("ETag and 304", () => {
	it("is blind to as_of: the same list later is 304", async () => {
		const first = await list();
		const etag = first.header("etag");
		await world.db.query("update catalog_epoch set at = at + interval '5 seconds'"); // as nodes raise it
		const second = await list();
		expect(second.data.as_of).not.toBe(first.data.as_of);
		expect(second.header("etag")).toBe(etag);
		const again = await list({}, acme, etag);
		expect([again.status, again.text]).toEqual([304, ""]);
	});

	it("a count that changed is another ETag", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 3 }]);
		const etag = (await list({ sku })).header("etag");
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		expect((await list({ sku }, acme, etag)).status).toBe(200);
	});

	it("is per key and per page", async () => {
		const { token: other } = await world.key({ brand: "ACME" });
		const etag = (await list({ sku: "ONE" })).header("etag");
		expect((await list({ sku: "ONE" }, other, etag)).status).toBe(200);
		expect((await list({ sku: "KIT" }, acme, etag)).status).toBe(200);
	});
});

describe("Refusals", () => {
	it.each(["BOLT", "NOPE", "SANDBOX"])("403 brand_mismatch: a key bound to ACME names %s", async (brand_code) => {
		expect((await list({ brand_code })).verdict).toBe("403 brand_mismatch");
	});

	it("422 unknown_brand_code: an unbound key names a brand that does not exist", async () => {
		expect((await list({ brand_code: "NOPE" }, unbound)).verdict).toBe("422 unknown_brand_code");
		expect((await list({ brand_code: "SANDBOX" }, unbound)).verdict).toBe("403 brand_mismatch");
	});

	it.each([
		["?limit=0", "/limit"],
		["?limit=501", "/limit"],
		["?limit=-1", "/limit"],
		["?limit=1.5", "/limit"],
		["?limit=1e2", "/limit"],
		["?limit=01", "/limit"],
		["?limit=ten", "/limit"],
		["?limit=", "/limit"],
		["?limit=1&limit=1", "/limit: given more than once"],
		["?cursor=", "/cursor"],
		["?sku=", "/sku"],
		["?brand_code=", "/brand_code"],
		["?page=2", "/page: unknown"],
		["?limit=99999999999999999999", "/limit"],
	])("400 invalid_input: %s", async (search, message) => {
		const answer = await world.send(Products, acme, undefined, { search });
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(message);
	});

	it("400 invalid_input: an unbound key without shared access must name a brand", async () => {
		const { token } = await world.key({ sharedPool: false });
		expect((await list({}, token)).verdict).toBe("400 invalid_input");
		expect((await list({ brand_code: "BOLT" }, token)).verdict).toBe("200");
	});
});

describe("Environments", () => {
	it("a sandbox key lists the sandbox's SKUs alone, a live key all others", async () => {
		const sku = unique("SBX-S");
		await world.has({ skus: [{ sku, name: sku, kind: "single", components: [{ formula: "F1", per_kit: 1 }] }] });
		const { token } = await world.key({ brand: "SANDBOX" });
		const [sandbox, live] = [await skusOf({}, token), await skusOf()];
		expect(sandbox).toContain(sku);
		expect(sandbox.filter((one) => !one.startsWith("SBX-"))).toEqual([]);
		expect(live.filter((one) => one.startsWith("SBX-"))).toEqual([]);
	});
});
