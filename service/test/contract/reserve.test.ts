import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Release, Reserve } from "../../src/inventory/holds/contract.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
import { openReserveWorld } from "./reserve-world.ts";
import { type StockedLot, unique, type World } from "./world.ts";

let world: World;
let acme: string;
let unbound: string;

beforeAll(async () => {
	({ world, acme, unbound } = await openReserveWorld());
});
afterAll(() => world.stop());

const stocked = (lots: readonly StockedLot[], perKit?: number) => world.stocked(lots, perKit);

type Line = { sku: string; qty: number; brand_code?: string };
const reserve = (token: string, items: Line[], more: { ttl_minutes?: number; external_ref?: string } = {}) =>
	world.call(Reserve, token, { items, ...more });
const held = async (token: string, items: Line[], more = {}) => {
	const answer = await reserve(token, items, more);
	expect(answer.verdict).toBe("201");
	return answer;
};
const minutesUntil = (instant: string): number => (Date.parse(instant) - Date.now()) / 60_000;

describe("201", () => {
	it("holds units and says from which pool and which lots", async () => {
		const { sku, formulaId, lots } = await stocked([{ brand: "ACME", units: 5 }]);
		const answer = await held(acme, [{ sku, qty: 2 }]);
		const { data } = answer;
		expect(data).toEqual({
			reservation_token: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
			expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			idempotent: false,
			items: [
				{
					sku,
					brand_code: "ACME",
					reserved_qty: 2,
					from_brand_pool: 2,
					from_shared_pool: 0,
					fg_ids: lots,
					components: [
						{
							formula_id: formulaId,
							per_kit: 1,
							requested_units: 2,
							reserved_units: 2,
							from_brand_pool: 2,
							from_shared_pool: 0,
							fg_ids: lots,
						},
					],
				},
			],
		});
		expect(answer.header("idempotent-replayed")).toBeUndefined();
		expect(answer.header("partner-warning")).toBeUndefined();
		expect(answer.header("cache-control")).toBe("no-store");
	});

	it("lives 30 minutes unless told otherwise", async () => {
		const { data } = await held(acme, [{ sku: "PLENTY", qty: 1 }]);
		expect(minutesUntil(data.expires_at)).toBeCloseTo(30, 0);
	});

	it.each([1, 60, 525_600])("lives %d minutes when told so", async (ttl_minutes) => {
		const { data } = await held(acme, [{ sku: "PLENTY", qty: 1 }], { ttl_minutes });
		expect(minutesUntil(data.expires_at) / ttl_minutes).toBeCloseTo(1, 0);
	});

	it("takes a reference of 200 code points, of any script, exactly as it is", async () => {
		const references = [
			"x".repeat(200),
			"😀".repeat(200),
			" spaced ",
			"\t",
			"Ünï",
			"'; drop table hold; --",
			"%00",
			"\\u0000",
		];
		for (const external_ref of references) {
			const first = await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref });
			const again = await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref });
			expect(again.data.reservation_token).toBe(first.data.reservation_token);
		}
		const trimmed = await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref: "spaced" });
		expect(trimmed.data.idempotent).toBe(false);
	});

	it("takes 100 lines of 10000 kits", async () => {
		const items = Array.from({ length: 100 }, () => ({ sku: "PLENTY", qty: 10_000 }));
		const { data } = await held(acme, items);
		expect(data.items).toHaveLength(100);
		expect(data.items.reduce((units, item) => units + item.from_brand_pool + item.from_shared_pool, 0)).toBe(1_000_000);
		await world.call(Release, acme, { reservation_token: data.reservation_token });
	});

	it("a key may name its own brand, and an unbound key any brand", async () => {
		const { sku } = await stocked([{ brand: "BOLT", units: 3 }]);
		expect((await held(unbound, [{ sku, qty: 3, brand_code: "BOLT" }])).data.items[0]?.brand_code).toBe("BOLT");
		const { data } = await held(acme, [{ sku: "PLENTY", qty: 1, brand_code: "ACME" }]);
		expect(data.items[0]?.brand_code).toBe("ACME");
	});
});

describe("Picking", () => {
	it("first expired goes first, lots that never expire last, over as many lots as needed", async () => {
		const { sku, lots } = await stocked([
			{ brand: "ACME", units: 2 },
			{ brand: "ACME", units: 2, expires: world.day(90) },
			{ brand: "ACME", units: 2, expires: world.day(30) },
		]);
		const { data } = await held(acme, [{ sku, qty: 5 }]);
		expect(data.items[0]?.fg_ids).toEqual([lots[2], lots[1], lots[0]]);
		const { data: rest } = await held(acme, [{ sku, qty: 1 }]);
		expect(rest.items[0]?.fg_ids).toEqual([lots[0]]);
	});

	it("of one expiry, first received goes first, then by id", async () => {
		const expires = world.day(60);
		const { sku, lots } = await stocked([
			{ brand: "ACME", units: 1, expires, received: world.day(-1) },
			{ brand: "ACME", units: 1, expires, received: world.day(-9) },
			{ brand: "ACME", units: 1, expires, received: world.day(-1) },
		]);
		const { data } = await held(acme, [{ sku, qty: 3 }]);
		const [first, ...rest] = data.items[0]?.fg_ids ?? [];
		expect(first).toBe(lots[1]);
		expect(rest).toEqual([lots[0] as string, lots[2] as string].toSorted());
	});

	it("the brand's own pool goes first, then the shared one, whatever expires sooner", async () => {
		const { sku, lots } = await stocked([
			{ brand: null, units: 5, expires: world.day(1) },
			{ brand: "ACME", units: 2, expires: world.day(300) },
		]);
		const { data } = await held(acme, [{ sku, qty: 3 }]);
		expect(data.items[0]).toMatchObject({ from_brand_pool: 2, from_shared_pool: 1, fg_ids: [lots[1], lots[0]] });
	});

	it("never another brand's stock, nor the shared stock without access", async () => {
		const { sku } = await stocked([
			{ brand: "BOLT", units: 5 },
			{ brand: null, units: 5 },
		]);
		const { token: alone } = await world.key({ brand: "ACME", sharedPool: false });
		expect((await reserve(alone, [{ sku, qty: 1 }])).verdict).toBe("409 no_inventory");
		expect((await reserve(acme, [{ sku, qty: 6 }])).verdict).toBe("409 no_inventory");
		expect((await reserve(unbound, [{ sku, qty: 6 }])).verdict).toBe("409 no_inventory");
		expect((await held(unbound, [{ sku, qty: 5 }])).data.items[0]).toMatchObject({
			brand_code: null,
			from_shared_pool: 5,
		});
	});

	it("out-of-date and quarantined units are never picked", async () => {
		const { sku, lots } = await stocked([
			{ brand: "ACME", units: 5, expires: world.day(-1) },
			{ brand: "ACME", units: 5 },
			{ brand: "ACME", units: 1, expires: world.day(0) },
		]);
		await world.quarantine(lots[1] as string, 3);
		expect((await reserve(acme, [{ sku, qty: 4 }])).verdict).toBe("409 no_inventory");
		expect((await held(acme, [{ sku, qty: 3 }])).data.items[0]?.fg_ids).toEqual([lots[2], lots[1]]);
	});

	it("a hold longer than a day needs lots in date on the day it ends; one of a day does not", async () => {
		const { sku, lots } = await stocked([
			{ brand: "ACME", units: 1, expires: world.day(1) },
			{ brand: "ACME", units: 1, expires: world.day(9) },
		]);
		const days = (n: number): number => n * 24 * 60;
		expect((await reserve(acme, [{ sku, qty: 2 }], { ttl_minutes: days(5) })).verdict).toBe("409 no_inventory");
		const long = await held(acme, [{ sku, qty: 1 }], { ttl_minutes: days(5) });
		expect(long.data.items[0]?.fg_ids).toEqual([lots[1]]);
		const short = await held(acme, [{ sku, qty: 1 }], { ttl_minutes: days(1) });
		expect(short.data.items[0]?.fg_ids).toEqual([lots[0]]);
	});

	it("holds kits whole: each component from its own lots, summed on the item", async () => {
		const [a, b] = [
			await stocked([
				{ brand: "ACME", units: 5 },
				{ brand: null, units: 5 },
			]),
			await stocked([{ brand: null, units: 9 }]),
		];
		const sku = unique("KIT");
		await world.has({
			skus: [
				{
					sku,
					name: sku,
					kind: "kit",
					components: [
						{ formula: a.code, per_kit: 2 },
						{ formula: b.code, per_kit: 3 },
					],
				},
			],
		});
		expect((await reserve(acme, [{ sku, qty: 4 }])).verdict).toBe("409 no_inventory");
		const { data } = await held(acme, [{ sku, qty: 3 }]);
		expect(data.items[0]).toEqual({
			sku,
			brand_code: "ACME",
			reserved_qty: 3,
			from_brand_pool: 5,
			from_shared_pool: 10,
			fg_ids: [...a.lots, ...b.lots],
			components: [
				{
					formula_id: a.formulaId,
					per_kit: 2,
					requested_units: 6,
					reserved_units: 6,
					from_brand_pool: 5,
					from_shared_pool: 1,
					fg_ids: a.lots,
				},
				{
					formula_id: b.formulaId,
					per_kit: 3,
					requested_units: 9,
					reserved_units: 9,
					from_brand_pool: 0,
					from_shared_pool: 9,
					fg_ids: b.lots,
				},
			],
		});
	});

	it("answers one item per line, in request order, also when a SKU comes twice", async () => {
		const [a, b] = [await stocked([{ brand: "ACME", units: 4 }]), await stocked([{ brand: "ACME", units: 4 }])];
		const { data } = await held(acme, [
			{ sku: b.sku, qty: 1 },
			{ sku: a.sku, qty: 2 },
			{ sku: b.sku, qty: 3 },
		]);
		expect(data.items.map((item) => [item.sku, item.reserved_qty])).toEqual([
			[b.sku, 1],
			[a.sku, 2],
			[b.sku, 3],
		]);
	});
});

describe("409 no_inventory", () => {
	it("all lines or none: one short line holds nothing of the others", async () => {
		const [a, b] = [await stocked([{ brand: "ACME", units: 5 }]), await stocked([{ brand: "ACME", units: 1 }])];
		const answer = await reserve(acme, [
			{ sku: a.sku, qty: 5 },
			{ sku: b.sku, qty: 2 },
		]);
		expect(answer.verdict).toBe("409 no_inventory");
		expect(answer.error.message).toContain("/items/1");
		expect(answer.header("retry-after")).toBeUndefined();
		const { data } = await world.call(Inventory, acme, { sku: a.sku });
		expect(data.totals).toEqual({ on_hand: 5, reserved: 0, atp: 5 });
	});

	it("demand is summed over all lines before it is compared, kits and singles together", async () => {
		const { sku, code } = await stocked([{ brand: "ACME", units: 10 }]);
		const [six, other] = [unique("SIX"), unique("OTHER")];
		await world.has({
			skus: [
				{ sku: six, name: six, kind: "single", components: [{ formula: code, per_kit: 6 }] },
				{ sku: other, name: other, kind: "single", components: [{ formula: code, per_kit: 1 }] },
			],
		});
		const lines = (n: number): Line[] => [
			{ sku, qty: 2 },
			{ sku: six, qty: 1 },
			{ sku: other, qty: n },
		];
		expect((await reserve(acme, lines(3))).verdict).toBe("409 no_inventory");
		await held(acme, lines(2));
		expect((await reserve(acme, [{ sku, qty: 1 }])).verdict).toBe("409 no_inventory");
	});

	it("what is promised elsewhere is not granted", async () => {
		const { sku, code } = await stocked([{ brand: "ACME", units: 10 }]);
		await world.has({
			demand: [{ formula: code, brand_code: "ACME", units: 3, reference: "PO" }],
			buffers: [{ formula: code, brand_code: "ACME", units: 2 }],
		});
		expect((await reserve(acme, [{ sku, qty: 6 }])).verdict).toBe("409 no_inventory");
		await held(acme, [{ sku, qty: 5 }]);
	});

	it("binds no reference: the same one is granted once there is stock", async () => {
		const { sku, code } = await stocked([{ brand: "ACME", units: 1 }]);
		const external_ref = unique("ref");
		expect((await reserve(acme, [{ sku, qty: 2 }], { external_ref })).verdict).toBe("409 no_inventory");
		await world.has({ lots: [{ formula: code, brand_code: "ACME", batch_number: "more", units: 1 }] });
		expect((await held(acme, [{ sku, qty: 2 }], { external_ref })).data.idempotent).toBe(false);
	});
});
