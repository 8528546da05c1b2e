import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Reserve } from "../../src/inventory/holds/contract.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
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
		formulas: [{ code: "OLD", name: "Old", status: "archived" }],
		skus: [
			{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
			{ sku: "ARCHIVED", name: "Archived", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
		],
		lots: [{ formula: "OLD", brand_code: "ACME", batch_number: "OLD", units: 9 }],
	});
	acme = (await world.key({ brand: "ACME" })).token;
	unbound = (await world.key()).token;
});
afterAll(() => world.stop());

const ask = (key: string, sku: string, brand_code?: string, ifNoneMatch?: string) =>
	world.call(Inventory, key, brand_code === undefined ? { sku } : { sku, brand_code }, {
		headers: ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch },
	});
const reserve = async (sku: string, qty: number, key = acme) =>
	(await world.call(Reserve, key, { items: [{ sku, qty }] })).data.reservation_token;
const ZERO = { on_hand: 0, reserved: 0, atp: 0 };

describe("200", () => {
	it("shows the brand's own pool and, with access, the shared one, and never another brand's", async () => {
		const { sku } = await world.stocked([
			{ brand: "ACME", units: 7 },
			{ brand: null, units: 4 },
			{ brand: "BOLT", units: 100 },
		]);
		await reserve(sku, 2);
		expect((await ask(acme, sku)).data).toEqual({
			sku,
			tracks_inventory: true,
			by_brand: [
				{ brand_code: "ACME", on_hand: 7, reserved: 2, atp: 5 },
				{ brand_code: null, on_hand: 4, reserved: 0, atp: 4 },
			],
			totals: { on_hand: 11, reserved: 2, atp: 9 },
		});
		const { token: alone } = await world.key({ brand: "ACME", sharedPool: false });
		expect((await ask(alone, sku)).data).toMatchObject({
			by_brand: [{ brand_code: "ACME", on_hand: 7, reserved: 2, atp: 5 }],
			totals: { on_hand: 7, reserved: 2, atp: 5 },
		});
		expect((await ask(unbound, sku)).data).toMatchObject({
			by_brand: [{ brand_code: null, on_hand: 4, reserved: 0, atp: 4 }],
		});
		expect((await ask(unbound, sku, "BOLT")).data.by_brand.map(({ brand_code }) => brand_code)).toEqual(["BOLT", null]);
	});

	it("a pool without lots has its row, with zeros", async () => {
		const { sku } = await world.stocked([]);
		expect((await ask(acme, sku)).data).toEqual({
			sku,
			tracks_inventory: true,
			by_brand: [
				{ brand_code: "ACME", ...ZERO },
				{ brand_code: null, ...ZERO },
			],
			totals: ZERO,
		});
	});

	it("counts a SKU of several units in whole kits, its component in units; pools may share a kit", async () => {
		const { sku, formulaId } = await world.stocked(
			[
				{ brand: "ACME", units: 7 },
				{ brand: null, units: 5 },
			],
			4,
		);
		expect((await ask(acme, sku)).data).toEqual({
			sku,
			tracks_inventory: true,
			components: [{ formula_id: formulaId, per_kit: 4, on_hand_units: 12, reserved_units: 0, atp_units: 12 }],
			by_brand: [
				{ brand_code: "ACME", on_hand: 1, reserved: 0, atp: 1 },
				{ brand_code: null, on_hand: 1, reserved: 0, atp: 1 },
			],
			totals: { on_hand: 3, reserved: 0, atp: 3 },
		});
	});

	it("counts a kit by its scarcest component, also one that is held for another SKU", async () => {
		const [a, b] = [
			await world.stocked([{ brand: "ACME", units: 10 }]),
			await world.stocked([{ brand: "ACME", units: 9 }]),
		];
		const sku = unique("KIT");
		const components = [
			{ formula: a.code, per_kit: 2 },
			{ formula: b.code, per_kit: 3 },
		];
		await world.has({ skus: [{ sku, name: sku, kind: "kit", components }] });
		await reserve(a.sku, 7);
		expect((await ask(acme, sku)).data).toMatchObject({
			components: [
				{ formula_id: a.formulaId, per_kit: 2, on_hand_units: 10, reserved_units: 7, atp_units: 3 },
				{ formula_id: b.formulaId, per_kit: 3, on_hand_units: 9, reserved_units: 0, atp_units: 9 },
			],
			totals: { on_hand: 3, reserved: 2, atp: 1 },
		});
	});

	it("held units are on hand and reserved, consumed ones are neither", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 9 }]);
		const token = await reserve(sku, 4);
		expect((await ask(acme, sku)).data.totals).toEqual({ on_hand: 9, reserved: 4, atp: 5 });
		await world.call(Consume, acme, { reservation_token: token, external_ref: unique("sale") });
		expect((await ask(acme, sku)).data.totals).toEqual({ on_hand: 5, reserved: 0, atp: 5 });
	});

	it("promised demand and the safety buffer are reserved, also beyond what is on hand", async () => {
		const { sku, code } = await world.stocked([{ brand: "ACME", units: 5 }]);
		await world.has({
			demand: [{ formula: code, brand_code: "ACME", units: 6, reference: "PO" }],
			buffers: [{ formula: code, brand_code: null, units: 2 }],
		});
		expect((await ask(acme, sku)).data).toMatchObject({
			by_brand: [
				{ brand_code: "ACME", on_hand: 5, reserved: 6, atp: 0 },
				{ brand_code: null, on_hand: 0, reserved: 2, atp: 0 },
			],
			totals: { on_hand: 5, reserved: 8, atp: 0 },
		});
	});

	it("out-of-date and quarantined units are not on hand, and those that lapsed are free", async () => {
		const { sku, lots } = await world.stocked([
			{ brand: "ACME", units: 8, expires: world.day(-1) },
			{ brand: "ACME", units: 8 },
		]);
		await world.quarantine(lots[1] as string, 3);
		await world.lapse(await reserve(sku, 2));
		expect((await ask(acme, sku)).data.totals).toEqual({ on_hand: 5, reserved: 0, atp: 5 });
	});

	it("a SKU that is not physical has no pools and no units", async () => {
		expect((await ask(acme, "FEE")).data).toEqual({
			sku: "FEE",
			tracks_inventory: false,
			by_brand: [],
			totals: ZERO,
		});
	});

	it("a SKU with an archived formula counts nothing", async () => {
		expect((await ask(acme, "ARCHIVED")).data.totals).toEqual(ZERO);
	});

	it("finds SKUs with any character in their name", async () => {
		const sku = unique("S&U %+/?#é😀 x");
		const { code } = await world.stocked([{ brand: "ACME", units: 2 }]);
		await world.has({ skus: [{ sku, name: "odd", kind: "single", components: [{ formula: code, per_kit: 1 }] }] });
		expect((await ask(acme, sku)).data).toMatchObject({ sku, totals: { atp: 2 } });
		const { status } = await world.send(Inventory, acme, {}, { search: `?sku=${encodeURIComponent(sku)}` });
		expect(status).toBe(200);
	});
});

describe("ETag and 304", () => {
	it("the same position is 304 with the same ETag and without a body", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 5 }]);
		const first = await ask(acme, sku);
		const etag = first.header("etag") ?? "";
		expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
		expect((await ask(acme, sku)).header("etag")).toBe(etag);
		const again = await ask(acme, sku, undefined, etag);
		expect([again.status, again.text, again.header("etag")]).toEqual([304, "", etag]);
		expect(again.header("ratelimit")).toMatch(/^"key";r=\d+;t=\d+$/);
		expect(again.header("cache-control")).toBe(first.header("cache-control"));
	});

	it.each(['"x", ETAG', "*", "ETAG-WITHOUT-W"])("If-None-Match %s matches too", async (given) => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 5 }]);
		const etag = (await ask(acme, sku)).header("etag") ?? "";
		const value = given.replace("ETAG-WITHOUT-W", etag.replace("W/", "")).replace("ETAG", etag);
		expect((await ask(acme, sku, undefined, value)).status).toBe(304);
	});

	it("another position has another ETag: a hold, a receipt, a lapse", async () => {
		const { sku, code } = await world.stocked([{ brand: "ACME", units: 5 }]);
		const seen = new Set<string>();
		const note = async (): Promise<void> => {
			const etag = (await ask(acme, sku)).header("etag") ?? "";
			expect(seen).not.toContain(etag);
			seen.add(etag);
		};
		await note();
		await reserve(sku, 1);
		await note();
		await world.has({ lots: [{ formula: code, brand_code: "ACME", batch_number: "more", units: 3 }] });
		await note();
	});

	it("is per key: another key's ETag is not this key's, though it sees the same", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 5 }]);
		const { token: other } = await world.key({ brand: "ACME" });
		const [mine, theirs] = [await ask(acme, sku), await ask(other, sku)];
		expect(theirs.text).toBe(mine.text);
		expect(theirs.header("etag")).not.toBe(mine.header("etag"));
		expect((await ask(other, sku, undefined, mine.header("etag"))).status).toBe(200);
	});

	it("counts as a request", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 5 }]);
		const { token } = await world.key({ brand: "ACME", requestsPerMinute: 2 });
		const etag = (await ask(token, sku)).header("etag");
		expect((await ask(token, sku, undefined, etag)).status).toBe(304);
		expect((await ask(token, sku, undefined, etag)).verdict).toBe("429 rate_limited");
	});
});

describe("404 not_found", () => {
	it.each(["NOPE", "SBX-PLENTY", "fee", "FEE "])("%o, which this key does not know", async (sku) => {
		const answer = await ask(acme, sku);
		expect(answer.verdict).toBe("404 not_found");
		expect(answer.header("etag")).toBeUndefined();
	});
});

describe("403 brand_mismatch", () => {
	it.each(["BOLT", "NOPE", "SANDBOX"])("a key bound to ACME names %s, for a known SKU or not", async (brand) => {
		expect((await ask(acme, "FEE", brand)).verdict).toBe("403 brand_mismatch");
		expect((await ask(acme, "NOPE", brand)).verdict).toBe("403 brand_mismatch");
	});
	it("an unbound live key names SANDBOX", async () => {
		expect((await ask(unbound, "FEE", "SANDBOX")).verdict).toBe("403 brand_mismatch");
	});
});

describe("422 unknown_brand_code", () => {
	it("an unbound key names a brand that does not exist, for a known SKU or not", async () => {
		expect((await ask(unbound, "FEE", "NOPE")).verdict).toBe("422 unknown_brand_code");
		expect((await ask(unbound, "NOPE", "NOPE")).verdict).toBe("422 unknown_brand_code");
	});
});

describe("400 invalid_input", () => {
	it.each([
		["", "/sku: required"],
		["?", "/sku: required"],
		["?sku=", "/sku"],
		["?sku", "/sku"],
		["?sku=FEE&sku=FEE", "/sku: given more than once"],
		["?sku=FEE&sku=", "/sku: given more than once"],
		["?sku=FEE&brand_code=ACME&brand_code=ACME", "/brand_code: given more than once"],
		["?sku=FEE&brand_code=", "/brand_code"],
		["?sku=FEE&limit=1", "/limit: unknown"],
		["?SKU=FEE", "/SKU: unknown"],
		["?sku[]=FEE", "/sku[]: unknown"],
		["?sku=FEE&__proto__=x", "/__proto__: unknown"],
		["?sku=%00", "/sku"],
		["?sku=%ff", "UTF-8"],
		["?sku=%ed%a0%80", "UTF-8"],
		["?sku=%", "UTF-8"],
		["?sku=%zz", "UTF-8"],
	])("%s", async (search, message) => {
		const answer = await world.send(Inventory, acme, undefined, { search });
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(message);
	});

	it("an unbound key without shared access must name a brand", async () => {
		const { token } = await world.key({ sharedPool: false });
		expect((await ask(token, "FEE")).verdict).toBe("400 invalid_input");
		expect((await ask(token, "FEE", "ACME")).verdict).toBe("200");
	});
});
