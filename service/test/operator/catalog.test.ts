import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import {
	GetBrand,
	GetFormula,
	GetProduct,
	GetSku,
	ListBrands,
	ListFormulas,
	ListProducts,
	ListSkus,
	PutBrand,
	PutFormula,
	PutProduct,
	PutSku,
} from "../../src/inventory/catalog/admin-contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { SuspendKey } from "../../src/partners/keys/key-admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { auditRows } from "./placed.ts";

let house: House;

beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({
		brands: ["ACME", "BOLT"].map((code) => ({ code, name: `Brand ${code}` })),
		formulas: [
			{ code: "CALM-60", name: "Calm", status: "active" },
			{ code: "REST-30", name: "Rest", status: "archived" },
			{ code: "50%_OFF", name: "Odd", status: "draft" },
		],
		products: [{ slug: "calm", name: "Calm" }],
		skus: [
			{
				sku: "CALM",
				name: "Calm",
				product: "calm",
				kind: "single",
				vial_size: "60 ml",
				components: [{ formula: "CALM-60", per_kit: 1 }],
			},
			{
				sku: "SET",
				name: "Evening set",
				kind: "kit",
				components: [
					{ formula: "REST-30", per_kit: 2 },
					{ formula: "CALM-60", per_kit: 1 },
				],
			},
			{ sku: "WRAP", name: "Gift wrap", kind: "non_physical" },
		],
	});
});
afterAll(() => house.close());

const SET = {
	sku: "SET",
	name: "Evening set",
	product: null,
	kind: "kit",
	vial_size: null,
	components: [
		{ formula: "REST-30", per_kit: 2 },
		{ formula: "CALM-60", per_kit: 1 },
	],
};

interface Page {
	items: { code?: string; slug?: string; sku?: string }[];
	next_cursor: string | null;
}

async function pageOf(operation: Operation, query = ""): Promise<Page> {
	const { status, json } = await operate(house, operation, { query });
	expect(status).toBe(200);
	return json.data;
}

/** The codes on a page without those of the sandbox, which a service creates after its start. */
const codesOn = ({ items }: Page): string[] =>
	items
		.map(({ code, slug, sku }) => must(code ?? slug ?? sku, "a code"))
		.filter((code) => !/^(sbx-|sandbox)/i.test(code));
const codesOf = async (operation: Operation, query = ""): Promise<string[]> => codesOn(await pageOf(operation, query));
const catalogNumber = async (): Promise<number> =>
	(await house.db.query<{ version: number }>("select version::int from catalog_epoch")).rows[0]?.version ?? 0;

describe("Operators list the catalogue", () => {
	it.each([
		["brands", ListBrands, "", ["ACME", "BOLT"]],
		["brands by a part of the name", ListBrands, "?q=brand%20b", ["BOLT"]],
		["formulas", ListFormulas, "", ["50%_OFF", "CALM-60", "REST-30"]],
		["formulas of a status", ListFormulas, "?status=archived", ["REST-30"]],
		["formulas by a text in which wild cards are plain", ListFormulas, "?q=%25_", ["50%_OFF"]],
		["products", ListProducts, "?q=CAL", ["calm"]],
		["SKUs", ListSkus, "", ["CALM", "SET", "WRAP"]],
		["SKUs of a kind", ListSkus, "?kind=non_physical", ["WRAP"]],
		["SKUs of a product", ListSkus, "?product=calm", ["CALM"]],
		["SKUs of a formula", ListSkus, "?formula=CALM-60&q=set", ["SET"]],
	] as const)("%s", async (_what, operation, query, codes) => {
		expect((await codesOf(operation, query)).toSorted()).toEqual(codes.toSorted());
	});

	it("page by page to the same end", async () => {
		const seen: string[] = [];
		let cursor: string | null = null;
		do {
			const page = await pageOf(ListSkus, `?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
			expect(page.items.length).toBeLessThanOrEqual(2);
			seen.push(...codesOn(page));
			cursor = page.next_cursor;
		} while (cursor !== null);
		expect(seen).toEqual(await codesOf(ListSkus, "?limit=500"));
	});

	it("with a word on a filter that names nothing", async () => {
		for (const [query, message] of [
			["?formula=CALM-6O", /no formula "CALM-6O": did you mean "CALM-60"/],
			["?product=clam", /no product "clam"/],
		] as const) {
			const { status, json } = await operate(house, ListSkus, { query });
			expect([status, json.error.code]).toEqual([404, "not_found"]);
			expect(json.error.message).toMatch(message);
		}
	});

	it("one by one, as an import has it", async () => {
		expect((await operate(house, GetBrand, { params: { code: "ACME" } })).json.data).toEqual({
			code: "ACME",
			name: "Brand ACME",
		});
		expect((await operate(house, GetFormula, { params: { code: "CALM-60" } })).json.data).toMatchObject({
			code: "CALM-60",
			status: "active",
			skus: 2,
		});
		expect((await operate(house, GetProduct, { params: { slug: "calm" } })).json.data.name).toBe("Calm");
		expect((await operate(house, GetSku, { params: { sku: "SET" } })).json.data).toEqual(SET);
		for (const [operation, params] of [
			[GetBrand, { code: "ACNE" }],
			[GetFormula, { code: "CALM-6O" }],
			[GetProduct, { slug: "calmm" }],
			[GetSku, { sku: "CALN" }],
		] as const) {
			const { status, json } = await operate(house, operation, { params });
			expect([status, json.error.code]).toEqual([404, "not_found"]);
			expect(json.error.message).toMatch(/did you mean/);
		}
	});
});

describe("Operators make and change the catalogue", () => {
	it.each([
		["a brand", PutBrand, { code: "NEW" }, { name: "New" }, { name: "Newer" }],
		["a formula", PutFormula, { code: "NEW-1" }, { name: "New", status: "draft" }, { name: "New", status: "active" }],
		["a product", PutProduct, { slug: "new" }, { name: "New" }, { slug: "new", name: "Newer" }],
		[
			"a SKU",
			PutSku,
			{ sku: "NEW" },
			{ name: "New", kind: "kit" },
			{ name: "New", kind: "single", product: "calm", components: [{ formula: "CALM-60", per_kit: 3 }] },
		],
	] as const)("%s: 201, then 200, and nothing for the same again", async (_what, operation, params, first, second) => {
		const before = await auditRows(house);
		const made = await operate(house, operation, { params, body: first });
		expect([made.status, made.json.data]).toEqual([201, expect.objectContaining({ ...params, ...first })]);
		const changed = await operate(house, operation, { params, body: second });
		expect([changed.status, changed.json.data]).toEqual([200, expect.objectContaining({ ...params, ...second })]);
		expect(await auditRows(house)).toBe(before + 2);
		const number = await catalogNumber();
		const again = await operate(house, operation, { params, body: second });
		expect([again.status, again.json.data]).toEqual([200, changed.json.data]);
		expect([await auditRows(house), await catalogNumber()]).toEqual([before + 2, number]);
	});

	it("and what a PUT of a SKU leaves out is gone", async () => {
		const params = { sku: "GONE" };
		const full = { ...SET, sku: "GONE", product: "calm", vial_size: "60 ml" };
		await operate(house, PutSku, { params, body: full });
		const { json } = await operate(house, PutSku, { params, body: { name: "Gone", kind: "non_physical" } });
		expect(json.data).toEqual({
			...params,
			name: "Gone",
			kind: "non_physical",
			product: null,
			vial_size: null,
			components: [],
		});
	});

	it("and a key of a partner sees it", async () => {
		await operate(house, PutSku, {
			params: { sku: "SOLD" },
			body: { name: "Sold", kind: "single", components: [{ formula: "CALM-60", per_kit: 1 }] },
		});
		const { token } = await house.mint({ environment: "live", brandCode: "ACME", scopes: ["atp.products"] });
		const { json } = await house.call(token, "/api/v1/products");
		expect(json.data.items.map(({ sku }: { sku: string }) => sku)).toContain("SOLD");
	});

	it("under If-Match: one that has changed meanwhile, and one that does not exist, stay as they are", async () => {
		const params = { code: "BOLT" };
		const { headers } = await operate(house, GetBrand, { params });
		const ifMatch = { "if-match": String(headers.etag) };
		expect((await operate(house, PutBrand, { params, body: { name: "Bolt" }, headers: ifMatch })).status).toBe(200);
		const late = await operate(house, PutBrand, { params, body: { name: "Late" }, headers: ifMatch });
		expect([late.status, late.json.error.code]).toEqual([412, "changed_meanwhile"]);
		expect((await operate(house, GetBrand, { params })).json.data.name).toBe("Bolt");
		const none = await operate(house, PutBrand, {
			params: { code: "NONE" },
			body: { name: "None" },
			headers: ifMatch,
		});
		expect(none.status).toBe(404);
		expect(await codesOf(ListBrands, "?q=none")).toEqual([]);
	});
});

describe("What is wrong with a row is refused at once and altogether", () => {
	it.each([
		["another code than in the path", PutBrand, { code: "ACME" }, { code: "ACNE", name: "A" }, /\/code must be "ACME"/],
		[
			"reserved for the sandbox",
			PutFormula,
			{ code: "SBX-LOW" },
			{ name: "Low", status: "active" },
			/\/code is reserved for the sandbox/,
		],
		[
			"the sandbox's own SKU",
			PutSku,
			{ sku: "SBX-FEE" },
			{ name: "Fee", kind: "non_physical" },
			/\/sku is reserved for the sandbox/,
		],
		[
			"a kit of one",
			PutSku,
			{ sku: "K" },
			{ ...SET, sku: "K", components: [{ formula: "CALM-60", per_kit: 1 }] },
			/two or more formulas/,
		],
		[
			"names that do not exist, and a formula twice",
			PutSku,
			{ sku: "K" },
			{
				name: "K",
				kind: "kit",
				product: "calmm",
				components: [
					{ formula: "CALM-6O", per_kit: 1 },
					{ formula: "CALM-6O", per_kit: 1 },
				],
			},
			/\/components\/1\/formula names formula "CALM-6O" a second time.*\/product there is no product "calmm": did you mean "calm".*\/components\/0\/formula there is no formula "CALM-6O": did you mean "CALM-60"/,
		],
		["an unknown field", PutProduct, { slug: "calm" }, { name: "Calm", title: "x" }, /\/title/],
		[
			"too many units of a formula",
			PutSku,
			{ sku: "K" },
			{ ...SET, sku: "K", components: [{ formula: "CALM-60", per_kit: 10_001 }] },
			/per_kit/,
		],
	] as const)("%s", async (_what, operation, params, body, message) => {
		const before = [await auditRows(house), await catalogNumber()];
		const { status, json } = await operate(house, operation, { params, body });
		expect([status, json.error.code]).toEqual([400, "invalid_input"]);
		expect(json.error.message).toMatch(message);
		expect([await auditRows(house), await catalogNumber()]).toEqual(before);
	});
});

describe("A change that waits for an import", () => {
	it("keeps the audit log free for the writes of others", async () => {
		const params = { code: "BOLT" };
		const { headers } = await operate(house, GetBrand, { params });
		const stranger = await house.db.take();
		await stranger.query("begin");
		await stranger.query("select from catalog_epoch for update"); // as an import does
		const changed = operate(house, PutBrand, {
			params,
			body: { name: "Bolt" },
			headers: { "If-Match": String(headers.etag) },
		});
		await until("the change to wait", async () => {
			const { rows } = await house.db.query(
				"select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
			);
			return rows.length === 1;
		});
		const key = await house.mint({ name: "beside" });
		const suspended = await operate(house, SuspendKey, { params: { pk: key.pk }, body: { reason: "test" } });
		expect(suspended.status).toBe(200); // not 409 retry after five seconds
		await stranger.query("rollback");
		stranger.release();
		expect((await changed).status).toBe(200);
	});
});
