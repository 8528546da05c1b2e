import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Release, Reserve } from "../../src/inventory/holds/contract.ts";
import { EXPECTED_FOR_BATCHES } from "../../src/inventory/holds/rows.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
import { openReserveWorld } from "./reserve-world.ts";
import { openWorld, type StockedLot, unique, type World } from "./world.ts";

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

	it("says the same whether it was expected, after another replay, or not, after many reserves without one", async () => {
		const { sku } = await stocked([{ brand: "ACME", units: EXPECTED_FOR_BATCHES + 5 }]);
		const external_ref = unique("ref");
		await held(acme, [{ sku, qty: 2 }], { external_ref });
		for (let n = 0; n <= EXPECTED_FOR_BATCHES; n++)
			await held(acme, [{ sku, qty: 1 }], { external_ref: unique("ref") });
		const [unexpected, expected] = [
			await held(acme, [{ sku, qty: 2 }], { external_ref }),
			await held(acme, [{ sku, qty: 2 }], { external_ref }),
		];
		expect(unexpected.data.items[0]).toMatchObject({ sku, reserved_qty: 2 });
		expect(expected.data).toEqual(unexpected.data);
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
		expect(again.header("partner-warning")).toBe("ttl_differs");
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
		const partner = world.partner();
		const [a, b] = [await world.key({ partner, brand: "ACME" }), await world.key({ partner, brand: "ACME" })];
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
		expect(again.header("partner-warning")).toBe("impaired");
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
		const never = await reserve(token, [{ sku, qty: 4 }]);
		expect(never.verdict).toBe("400 invalid_input");
		expect(never.error.message).toContain("this key may hold 10 units");
		// a replay holds nothing new
		await held(token, [{ sku, qty: 3 }], { external_ref });
		await world.call(Release, token, { reservation_token: first.data.reservation_token });
		await held(token, [{ sku, qty: 3 }]);
	});

	it("the operator's cap for every key holds where the key has none of its own, also against a burst", async () => {
		const capped = await openWorld({ HOLDFAST_MAX_HELD_UNITS_PER_KEY: "10" });
		await capped.has({ brands: [{ code: "ACME", name: "Acme" }] });
		const { sku } = await capped.stocked([{ brand: "ACME", units: 1_000 }]);
		const { token } = await capped.key({ brand: "ACME" });
		const { token: own } = await capped.key({ brand: "ACME", maxHeldUnits: 20 });
		const burst = (key: string) =>
			Promise.all(Array.from({ length: 40 }, () => capped.call(Reserve, key, { items: [{ sku, qty: 1 }] })));
		for (const [key, cap] of [
			[token, 10],
			[own, 20],
		] as const) {
			const verdicts = (await burst(key)).map(({ verdict }) => verdict);
			expect(verdicts.filter((verdict) => verdict === "201")).toHaveLength(cap);
			expect(verdicts.filter((verdict) => verdict === "429 rate_limited")).toHaveLength(40 - cap);
		}
		await capped.stop();
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
