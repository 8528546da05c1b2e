import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Reserve } from "../../src/inventory/holds/contract.ts";
import { ReserveCache } from "../../src/inventory/prepaid/contract.ts";
import { Check, Inventory, Summary } from "../../src/inventory/stock/contract.ts";
import { openWorld, unique, type World } from "./world.ts";

let world: World;
let acme: string;
let alone: string;
let unbound: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
	});
	acme = (await world.key({ brand: "ACME" })).token;
	alone = (await world.key({ brand: "ACME", sharedPool: false })).token;
	unbound = (await world.key()).token;
});
afterAll(() => world.stop());

type Query = { brand_code?: string; limit?: number; cursor?: string };
const list = (query: Query = {}, key = acme, etag?: string) =>
	world.call(Summary, key, query, { headers: etag === undefined ? {} : { "if-none-match": etag } });

/** Follows the list from the start, or from a cursor, to its end. */
async function walk(query: Query = {}, key = acme) {
	const items: Awaited<ReturnType<typeof list>>["data"]["items"] = [];
	for (let { cursor } = query; ; ) {
		const { data } = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) }, key);
		items.push(...data.items);
		cursor = data.next_cursor;
		if (!data.has_more) return { items, cursor };
	}
}
const rowOf = async (formulaId: string, key = acme, query: Query = {}) =>
	(await walk(query, key)).items.find(({ formula_id }) => formula_id === formulaId);

describe("200", () => {
	it("counts every unit of the brand's pool in the one place where it is", async () => {
		const { sku, code, formulaId, lots } = await world.stocked([
			{ brand: "ACME", units: 100, expires: world.day(60) },
			{ brand: "ACME", units: 30, expires: world.day(-1) },
			{ brand: "ACME", units: 20, expires: world.day(30) },
			{ brand: null, units: 50, expires: world.day(10) },
			{ brand: "BOLT", units: 1_000, expires: world.day(1) },
		]);
		await world.quarantine(lots[2] as string, 5);
		await world.call(Reserve, alone, { items: [{ sku, qty: 25 }] });
		const { data } = await world.call(Reserve, alone, { items: [{ sku, qty: 4 }] });
		const { reservation_token } = data;
		await world.call(Consume, alone, { reservation_token, external_ref: unique("sale") });
		await world.has({
			demand: [
				{ formula: code, brand_code: "ACME", units: 7, reference: "letter" },
				{ formula: code, brand_code: null, units: 2, reference: "letter" },
			],
			buffers: [{ formula: code, brand_code: "ACME", units: 3 }],
		});
		// 115 in date and not quarantined, of which 25 are held and 4 consumed
		expect(await rowOf(formulaId)).toEqual({
			formula_id: formulaId,
			name: code,
			skus: [sku],
			on_hand_units: 111,
			reserved_units: 35,
			promised_units: 10,
			quarantined_units: 5,
			expired_units: 30,
			shippable_units: 76,
			shared_shippable_units: 48,
			prepaid_units: 0,
			earliest_expiry: world.day(10),
		});
		const own = await rowOf(formulaId, alone);
		expect(own).toMatchObject({ shippable_units: 76, shared_shippable_units: 0, earliest_expiry: world.day(60) });
	});

	it("shippable_units is what check, inventory and a reserve say for the brand's pool alone", async () => {
		const { sku, code, formulaId } = await world.stocked([
			{ brand: "ACME", units: 12 },
			{ brand: "ACME", units: 5, expires: world.day(-1) },
		]);
		await world.has({ buffers: [{ formula: code, brand_code: "ACME", units: 4 }] });
		const row = await rowOf(formulaId, alone);
		const [checked] = (await world.call(Check, alone, { items: [{ sku, qty: 1 }] })).data.items;
		const { totals } = (await world.call(Inventory, alone, { sku })).data;
		expect(row).toMatchObject({ shippable_units: checked?.atp_qty, on_hand_units: totals.on_hand });
		expect(row).toMatchObject({ reserved_units: totals.reserved, shippable_units: totals.atp });
		const shippable = row?.shippable_units ?? 0;
		expect((await world.call(Reserve, alone, { items: [{ sku, qty: shippable + 1 }] })).verdict).toBe(
			"409 no_inventory",
		);
		expect((await world.call(Reserve, alone, { items: [{ sku, qty: shippable }] })).verdict).toBe("201");
		expect(await rowOf(formulaId, alone)).toMatchObject({ shippable_units: 0, on_hand_units: 12, reserved_units: 12 });
	});

	it("a hold past its end is free at once", async () => {
		const { sku, formulaId } = await world.stocked([{ brand: "ACME", units: 10 }]);
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 6 }] });
		await world.lapse(data.reservation_token);
		expect(await rowOf(formulaId)).toMatchObject({ shippable_units: 10, reserved_units: 0, on_hand_units: 10 });
	});

	it("promised beyond stock: nothing is shippable, and never less", async () => {
		const { code, formulaId } = await world.stocked([
			{ brand: "ACME", units: 3 },
			{ brand: null, units: 4 },
		]);
		await world.has({ demand: [{ formula: code, brand_code: "ACME", units: 9, reference: "letter" }] });
		expect(await rowOf(formulaId)).toMatchObject({
			on_hand_units: 3,
			reserved_units: 9,
			promised_units: 9,
			shippable_units: 0,
			shared_shippable_units: 4,
		});
	});

	it("prepaid_units are those of the mirror, by formula, and change no count", async () => {
		const one = await world.stocked([{ brand: "ACME", units: 8 }]);
		const before = await rowOf(one.formulaId);
		const items = [
			{ sku: one.sku, prepaid_units: 5, used_units: 1 },
			{ formula_id: one.formulaId, prepaid_units: 6 },
		];
		await world.call(ReserveCache, acme, { brand_code: "ACME", sequence: 1, as_of: "2026-09-06T12:00:00Z", items });
		expect(await rowOf(one.formulaId)).toEqual({ ...before, prepaid_units: 11 });
		expect(await rowOf(one.formulaId, unbound, { brand_code: "BOLT" })).toMatchObject({ prepaid_units: 0 });
	});
});

describe("What is listed", () => {
	it("a formula that a SKU is made of, with stock or without; not one that nothing is made of, nor a draft", async () => {
		const [sold, unsold, draft] = [unique("F"), unique("F"), unique("F")];
		const { formulas } = await world.has({
			formulas: [
				{ code: sold, name: sold, status: "active" },
				{ code: unsold, name: unsold, status: "active" },
				{ code: draft, name: draft, status: "draft" },
			],
			skus: [sold, draft].map((code) => {
				const components = [{ formula: code, per_kit: 1 }];
				return { sku: `S-${code}`, name: code, kind: "single", components };
			}),
			lots: [sold, unsold, draft].map((code) => ({ formula: code, brand_code: "BOLT", batch_number: code, units: 1 })),
		});
		expect(await rowOf(formulas.get(sold) as string)).toMatchObject({ skus: [`S-${sold}`], on_hand_units: 0 });
		expect(await rowOf(formulas.get(sold) as string)).toMatchObject({ shippable_units: 0, earliest_expiry: null });
		expect(await rowOf(formulas.get(unsold) as string)).toBeUndefined();
		expect(await rowOf(formulas.get(draft) as string)).toBeUndefined();
	});

	it("an archived formula is counted, and nothing of it is shippable", async () => {
		const { code, formulaId } = await world.stocked([
			{ brand: "ACME", units: 8 },
			{ brand: null, units: 9 },
		]);
		await world.has({ formulas: [{ code, name: code, status: "archived" }] });
		const row = await rowOf(formulaId);
		expect(row).toMatchObject({ on_hand_units: 8, shippable_units: 0, shared_shippable_units: 0 });
	});

	it("a sandbox key lists formulas of the sandbox's SKUs alone, and their SKUs of the sandbox alone", async () => {
		const { code, formulaId } = await world.stocked([{ brand: "SANDBOX", units: 2 }]);
		const { token } = await world.key({ brand: "SANDBOX" });
		expect(await rowOf(formulaId, token)).toBeUndefined();
		const sku = unique("SBX-T");
		await world.has({ skus: [{ sku, name: sku, kind: "single", components: [{ formula: code, per_kit: 1 }] }] });
		expect(await rowOf(formulaId, token)).toMatchObject({ skus: [sku], shippable_units: 2 });
		expect((await rowOf(formulaId))?.skus).not.toContain(sku);
	});
});

describe("Following", () => {
	it("any page size lists the same formulas in the same order, none twice", async () => {
		for (let n = 0; n < 5; n++) await world.stocked([{ brand: "ACME", units: n + 1 }]);
		const all = (await walk()).items.map(({ formula_id }) => formula_id);
		expect(new Set(all).size).toBe(all.length);
		for (const limit of [1, 2, 7, 500]) {
			expect((await walk({ limit })).items.map(({ formula_id }) => formula_id)).toEqual(all);
		}
		expect((await list({ limit: all.length })).data.has_more).toBe(false);
		expect((await list({ limit: all.length - 1 })).data.has_more).toBe(true);
	});

	it("a formula comes again when it is renamed, and when a recipe comes to it or leaves it; other formulas do not", async () => {
		const one = await world.stocked([{ brand: "ACME", units: 1 }]);
		const other = await world.stocked([{ brand: "ACME", units: 2 }]);
		let { cursor } = await walk();
		const next = async () => {
			const walked = await walk({ cursor });
			cursor = walked.cursor;
			return walked.items.map(({ formula_id, name, skus }) => [formula_id, name, skus]);
		};
		expect(await next()).toEqual([]);
		await world.has({ formulas: [{ code: one.code, name: "renamed", status: "active" }] });
		expect(await next()).toEqual([[one.formulaId, "renamed", [one.sku]]]);
		const sku = unique("MORE");
		const made = (code: string) => [{ sku, name: sku, kind: "single", components: [{ formula: code, per_kit: 2 }] }];
		await world.has({ skus: made(one.code) });
		expect(await next()).toEqual([[one.formulaId, "renamed", [sku, one.sku].toSorted()]]);
		await world.has({ skus: made(other.code) });
		const moved = await next();
		expect(moved).toContainEqual([one.formulaId, "renamed", [one.sku]]);
		expect(moved).toContainEqual([other.formulaId, other.code, [sku, other.sku].toSorted()]);
		expect(moved).toHaveLength(2);
	});

	it("stock that moves brings nothing again, and changes the ETag; as_of does not", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 5 }]);
		const { cursor } = await walk();
		const first = await list({ limit: 500 });
		const again = await list({ limit: 500 }, acme, first.header("etag"));
		expect([again.status, again.text]).toEqual([304, ""]);
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }] });
		expect((await list({ limit: 500 }, acme, first.header("etag"))).status).toBe(200);
		expect((await walk({ cursor })).items).toEqual([]);
		const { token: other } = await world.key({ brand: "ACME" });
		expect((await list({ limit: 500 }, other, (await list({ limit: 500 })).header("etag"))).status).toBe(200);
	});

	it("a cursor is used with the brand and the key it was made with", async () => {
		const { cursor } = await walk({ brand_code: "ACME" });
		expect((await list({ cursor, brand_code: "ACME" })).verdict).toBe("200");
		expect((await list({ cursor })).verdict).toBe("400 invalid_input");
		expect((await list({ cursor, brand_code: "ACME" }, alone)).verdict).toBe("400 invalid_input");
		expect((await list({ cursor: "nonsense" })).verdict).toBe("400 invalid_input");
	});
});

describe("Refusals", () => {
	it("400 invalid_input: an unbound key names no brand, shared access or not; a limit that is none", async () => {
		for (const sharedPool of [true, false]) {
			const { token } = await world.key({ sharedPool });
			const answer = await list({}, token);
			expect(answer.verdict).toBe("400 invalid_input");
			expect(answer.error.message).toContain("/brand_code");
		}
		expect((await list({ limit: 501 })).verdict).toBe("400 invalid_input");
	});

	it("an unbound key sees the brand that it names, and the shared pool with access alone", async () => {
		const { formulaId } = await world.stocked([
			{ brand: "BOLT", units: 3 },
			{ brand: null, units: 4 },
		]);
		const { token } = await world.key({ sharedPool: false });
		expect(await rowOf(formulaId, unbound, { brand_code: "BOLT" })).toMatchObject({
			shippable_units: 3,
			shared_shippable_units: 4,
		});
		expect(await rowOf(formulaId, token, { brand_code: "BOLT" })).toMatchObject({
			shippable_units: 3,
			shared_shippable_units: 0,
		});
	});

	it.each(["BOLT", "NOPE", "SANDBOX"])("403 brand_mismatch: a key bound to ACME names %s", async (brand_code) => {
		expect((await list({ brand_code })).verdict).toBe("403 brand_mismatch");
	});

	it("422 unknown_brand_code: an unbound key names a brand that does not exist; SANDBOX is 403", async () => {
		expect((await list({ brand_code: "NOPE" }, unbound)).verdict).toBe("422 unknown_brand_code");
		expect((await list({ brand_code: "SANDBOX" }, unbound)).verdict).toBe("403 brand_mismatch");
	});

	it("403 forbidden: without the scope", async () => {
		const { token } = await world.key({ brand: "ACME", scopes: ["atp.products"] });
		expect((await list({}, token)).verdict).toBe("403 forbidden");
	});
});
