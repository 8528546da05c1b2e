import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Release, Reserve } from "../../src/holds/contract.ts";
import { Inventory } from "../../src/stock/contract.ts";
import { openWorld, type StockedLot, unique, type World } from "./world.ts";

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
		formulas: [
			{ code: "OLD", name: "Old", status: "archived" },
			{ code: "NEW", name: "New", status: "draft" },
			{ code: "F", name: "F", status: "active" },
		],
		skus: [
			{ sku: "ARCHIVED", name: "Archived", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
			{ sku: "DRAFT", name: "Draft", kind: "single", components: [{ formula: "NEW", per_kit: 1 }] },
			{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
			{ sku: "PLENTY", name: "Plenty", kind: "single", components: [{ formula: "F", per_kit: 1 }] },
		],
		lots: [
			{ formula: "F", brand_code: "ACME", batch_number: "PLENTY-A", units: 1_000_000 },
			{ formula: "F", brand_code: null, batch_number: "PLENTY-S", units: 1_000_000 },
			{ formula: "OLD", brand_code: "ACME", batch_number: "OLD-A", units: 10 },
		],
	});
	acme = (await world.key({ brand: "ACME" })).token;
	unbound = (await world.key()).token;
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

describe("Replay", () => {
	it("the same key and reference return the hold, not another one", async () => {
		const { sku, formulaId, lots } = await stocked([{ brand: "ACME", units: 5 }]);
		const external_ref = unique("ref");
		const first = await held(acme, [{ sku, qty: 3 }], { external_ref });
		const again = await held(acme, [{ sku, qty: 3 }], { external_ref });
		expect(again.data).toEqual({
			...first.data,
			idempotent: true,
			items: [
				{
					...first.data.items[0],
					components: [
						{
							formula_id: formulaId,
							per_kit: 1,
							requested_units: null,
							reserved_units: 3,
							from_brand_pool: 3,
							from_shared_pool: 0,
							fg_ids: lots,
						},
					],
				},
			],
		});
		expect(again.header("idempotent-replayed")).toBe("true");
		expect(again.header("partner-warning")).toBeUndefined();
		const { data } = await world.call(Inventory, acme, { sku });
		expect(data.totals.atp).toBe(2);
	});

	it.each([
		["another quantity", (sku: string) => [{ sku, qty: 2 }]],
		["another SKU", () => [{ sku: "PLENTY", qty: 1 }]],
		["a SKU that does not exist", () => [{ sku: "NOPE", qty: 1 }]],
		["a fee", () => [{ sku: "FEE", qty: 1 }]],
		[
			"another line",
			(sku: string) => [
				{ sku, qty: 1 },
				{ sku, qty: 1 },
			],
		],
		["more than there is", (sku: string) => [{ sku, qty: 10_000 }]],
	])("with %s it still returns the hold, with a warning", async (_what, items) => {
		const { sku } = await stocked([{ brand: "ACME", units: 2 }]);
		const external_ref = unique("ref");
		const first = await held(acme, [{ sku, qty: 1 }], { external_ref });
		const again = await held(acme, items(sku), { external_ref });
		expect(again.data.reservation_token).toBe(first.data.reservation_token);
		expect(again.data.items.map((item) => [item.sku, item.reserved_qty])).toEqual([[sku, 1]]);
		expect(again.header("idempotent-replayed")).toBe("true");
		expect(again.header("partner-warning")).toBe("items_differ");
	});

	it("keeps the end it was given: another ttl changes nothing", async () => {
		const external_ref = unique("ref");
		const first = await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref, ttl_minutes: 5 });
		const again = await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref, ttl_minutes: 500 });
		expect(again.data.expires_at).toBe(first.data.expires_at);
		expect(again.header("partner-warning")).toBeUndefined();
	});

	it("the brand gate comes before it", async () => {
		const external_ref = unique("ref");
		await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref });
		const answer = await reserve(acme, [{ sku: "PLENTY", qty: 1, brand_code: "BOLT" }], { external_ref });
		expect(answer.verdict).toBe("403 brand_mismatch");
	});

	it("a reference whose hold is over is free again", async () => {
		const external_ref = unique("ref");
		const tokens = new Set<string>();
		for (const end of ["release", "lapse", "none"]) {
			const { data } = await held(acme, [{ sku: "PLENTY", qty: 1 }], { external_ref });
			expect(data.idempotent).toBe(false);
			tokens.add(data.reservation_token);
			if (end === "release") await world.call(Release, acme, { reservation_token: data.reservation_token });
			if (end === "lapse") await world.lapse(data.reservation_token);
		}
		expect(tokens.size).toBe(3);
	});

	it("belongs to the key: another key of the same partner makes its own", async () => {
		const partnerId = await world.partner();
		const [a, b] = [await world.key({ partnerId, brand: "ACME" }), await world.key({ partnerId, brand: "ACME" })];
		const external_ref = unique("ref");
		const first = await held(a.token, [{ sku: "PLENTY", qty: 1 }], { external_ref });
		const second = await held(b.token, [{ sku: "PLENTY", qty: 1 }], { external_ref });
		expect(second.data.idempotent).toBe(false);
		expect(second.data.reservation_token).not.toBe(first.data.reservation_token);
	});

	it("shows the hold as it is now: units picked again elsewhere, and what was lost", async () => {
		const { sku, lots } = await stocked([
			{ brand: "ACME", units: 4, expires: world.day(30) },
			{ brand: "ACME", units: 1 },
		]);
		const external_ref = unique("ref");
		await held(acme, [{ sku, qty: 3 }], { external_ref });
		await world.quarantine(lots[0] as string, "all");
		const again = await held(acme, [{ sku, qty: 3 }], { external_ref });
		expect(again.data.items[0]).toMatchObject({ reserved_qty: 1, from_brand_pool: 1, fg_ids: [lots[1]] });
		expect(again.header("partner-warning")).toBeUndefined();
	});
});

describe("422 invalid_item", () => {
	it.each([
		["an unknown SKU", "NOPE"],
		["a SKU that is not physical", "FEE"],
		["an archived formula", "ARCHIVED"],
		["a draft formula", "DRAFT"],
		["a SKU of the sandbox", "SBX-PLENTY"],
	])("%s, named by its line", async (_what, sku) => {
		const answer = await reserve(acme, [
			{ sku: "PLENTY", qty: 1 },
			{ sku, qty: 1 },
		]);
		expect(answer.verdict).toBe("422 invalid_item");
		expect(answer.error.message).toContain("/items/1/sku");
	});

	it("a kit whose formula was archived since", async () => {
		const { sku, code } = await stocked([{ brand: "ACME", units: 5 }]);
		await held(acme, [{ sku, qty: 1 }]);
		await world.has({ formulas: [{ code, name: code, status: "archived" }] });
		expect((await reserve(acme, [{ sku, qty: 1 }])).verdict).toBe("422 invalid_item");
		await world.has({ formulas: [{ code, name: code, status: "active" }] });
		await held(acme, [{ sku, qty: 1 }]);
	});

	it("a brand that does not exist, named by an unbound key", async () => {
		const answer = await reserve(unbound, [{ sku: "PLENTY", qty: 1, brand_code: "NOPE" }]);
		expect(answer.verdict).toBe("422 invalid_item");
		expect(answer.error.message).toContain("/items/0/brand_code");
	});

	it("comes before shortage, on whatever line", async () => {
		const answer = await reserve(acme, [
			{ sku: "PLENTY", qty: 10_000 },
			{ sku: "NOPE", qty: 1 },
		]);
		expect(answer.verdict).toBe("422 invalid_item");
	});
});

describe("403 brand_mismatch", () => {
	it.each(["BOLT", "NOPE", "SANDBOX"])(
		"a key bound to ACME names %s, also beside an unknown SKU",
		async (brand_code) => {
			const items = [
				{ sku: "NOPE", qty: 1 },
				{ sku: "PLENTY", qty: 1, brand_code },
			];
			expect((await reserve(acme, items)).verdict).toBe("403 brand_mismatch");
		},
	);

	it("an unbound live key names SANDBOX", async () => {
		expect((await reserve(unbound, [{ sku: "PLENTY", qty: 1, brand_code: "SANDBOX" }])).verdict).toBe(
			"403 brand_mismatch",
		);
	});
});

describe("400 invalid_input", () => {
	const LINE = { sku: "PLENTY", qty: 1 };
	it.each([
		["no items", { external_ref: "x" }, "/items: required"],
		["no line", { items: [] }, "/items"],
		["101 lines", { items: Array.from({ length: 101 }, () => LINE) }, "/items"],
		["qty 0", { items: [{ ...LINE, qty: 0 }] }, "/items/0/qty"],
		["a negative qty", { items: [{ ...LINE, qty: -1 }] }, "/items/0/qty"],
		["qty 10001", { items: [{ ...LINE, qty: 10_001 }] }, "/items/0/qty"],
		["ttl 0", { items: [LINE], ttl_minutes: 0 }, "/ttl_minutes"],
		["more than a year", { items: [LINE], ttl_minutes: 525_601 }, "/ttl_minutes"],
		["half a minute", { items: [LINE], ttl_minutes: 0.5 }, "/ttl_minutes"],
		["a null ttl", { items: [LINE], ttl_minutes: null }, "/ttl_minutes"],
		["an empty reference", { items: [LINE], external_ref: "" }, "/external_ref"],
		["a reference of 201 code points", { items: [LINE], external_ref: "x".repeat(201) }, "/external_ref"],
		["a reference of 201 emoji", { items: [LINE], external_ref: "😀".repeat(201) }, "/external_ref"],
		["a reference with NUL", { items: [LINE], external_ref: "a\u0000b" }, "/external_ref"],
		["a reference with half a surrogate pair", { items: [LINE], external_ref: "\udc00" }, "/external_ref"],
		["a null reference", { items: [LINE], external_ref: null }, "/external_ref"],
		["an unknown field", { items: [LINE], reservation_token: "x" }, "/reservation_token: unknown"],
		["an unknown field of a line", { items: [{ ...LINE, ttl_minutes: 1 }] }, "/items/0/ttl_minutes: unknown"],
	])("%s", async (_what, body, pointer) => {
		const answer = await world.send(Reserve, acme, body);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(pointer);
	});

	it("an unbound key without shared access must name a brand on every line", async () => {
		const { token } = await world.key({ sharedPool: false });
		expect((await reserve(token, [{ sku: "PLENTY", qty: 1, brand_code: "ACME" }, LINE])).verdict).toBe(
			"400 invalid_input",
		);
		await held(token, [{ sku: "PLENTY", qty: 1, brand_code: "ACME" }]);
	});
});

describe("Caps of the operator", () => {
	it("a longer ttl than the operator allows is shortened, never refused", async () => {
		const capped = await openWorld({ HOLDFAST_MAX_TTL_MINUTES: "10" });
		await capped.has({
			brands: [{ code: "ACME", name: "Acme" }],
			formulas: [{ code: "F", name: "F", status: "active" }],
			skus: [{ sku: "S", name: "S", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
			lots: [{ formula: "F", brand_code: "ACME", batch_number: "B", units: 9, expires_on: capped.day(1) }],
		});
		const { token } = await capped.key({ brand: "ACME" });
		for (const [ttl, lives] of [
			[525_600, 10],
			[undefined, 10],
			[5, 5],
		] as const) {
			const more = ttl === undefined ? {} : { ttl_minutes: ttl };
			const answer = await capped.call(Reserve, token, { items: [{ sku: "S", qty: 1 }], ...more });
			expect(answer.verdict).toBe("201");
			expect(minutesUntil(answer.data.expires_at)).toBeCloseTo(lives, 0);
		}
		await capped.stop();
	});

	it("a key with a cap on held units is told 429 beyond it, and may go on once it released", async () => {
		const { sku } = await stocked([{ brand: "ACME", units: 100 }], 3);
		const { token } = await world.key({ brand: "ACME", maxHeldUnits: 10 });
		const external_ref = unique("ref");
		const first = await held(token, [{ sku, qty: 3 }], { external_ref });
		const over = await reserve(token, [{ sku, qty: 1 }]);
		expect(over.verdict).toBe("429 rate_limited");
		expect(Number(over.header("retry-after"))).toBeGreaterThanOrEqual(1);
		// a replay holds nothing new
		await held(token, [{ sku, qty: 3 }], { external_ref });
		await world.call(Release, token, { reservation_token: first.data.reservation_token });
		await held(token, [{ sku, qty: 3 }]);
	});

	it("the cap forgets a hold the moment it is past its end", async () => {
		const { sku } = await stocked([{ brand: "ACME", units: 100 }]);
		const { token } = await world.key({ brand: "ACME", maxHeldUnits: 5 });
		const { data } = await held(token, [{ sku, qty: 5 }]);
		expect((await reserve(token, [{ sku, qty: 1 }])).verdict).toBe("429 rate_limited");
		await world.lapse(data.reservation_token);
		await held(token, [{ sku, qty: 5 }]);
	});
});

describe("Time", () => {
	it("the units of a hold past its end are reserved again at once", async () => {
		const { sku } = await stocked([{ brand: "ACME", units: 3 }]);
		const { data } = await held(acme, [{ sku, qty: 3 }]);
		expect((await reserve(acme, [{ sku, qty: 1 }])).verdict).toBe("409 no_inventory");
		await world.lapse(data.reservation_token);
		await held(acme, [{ sku, qty: 3 }]);
		expect(await world.audit()).toEqual([]);
	});
});
