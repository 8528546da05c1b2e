import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Check } from "../../src/inventory/stock/contract.ts";
import { openWorld, unique, type World } from "./world.ts";

let world: World;
let formulas: Map<string, string>;
/** Bound to ACME, with the shared pool. */
let acme: string;
/** Bound to no brand, with the shared pool. */
let unbound: string;

beforeAll(async () => {
	world = await openWorld();
	({ formulas } = await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
		formulas: [
			{ code: "F1", name: "One", status: "active" },
			{ code: "F2", name: "Two", status: "active" },
			{ code: "OLD", name: "Old", status: "archived" },
			{ code: "NEW", name: "New", status: "draft" },
		],
		skus: [
			{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F1", per_kit: 1 }] },
			{ sku: "SIX", name: "Six of one", kind: "single", components: [{ formula: "F1", per_kit: 6 }] },
			{
				sku: "KIT",
				name: "Kit",
				kind: "kit",
				components: [
					{ formula: "F1", per_kit: 2 },
					{ formula: "F2", per_kit: 1 },
				],
			},
			{ sku: "ARCHIVED", name: "Archived", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
			{ sku: "DRAFT", name: "Draft", kind: "single", components: [{ formula: "NEW", per_kit: 2 }] },
			{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
		],
		lots: [
			{ formula: "F1", brand_code: "ACME", batch_number: "A", units: 20 },
			{ formula: "F1", brand_code: null, batch_number: "S", units: 5 },
			{ formula: "F2", brand_code: null, batch_number: "S2", units: 4 },
			{ formula: "F1", brand_code: "BOLT", batch_number: "B", units: 100 },
			{ formula: "OLD", brand_code: "ACME", batch_number: "O", units: 9 },
			{ formula: "NEW", brand_code: "ACME", batch_number: "N", units: 9 },
		],
	}));
	acme = (await world.key({ brand: "ACME" })).token;
	unbound = (await world.key()).token;
});
afterAll(() => world.stop());

const ask = (token: string, ...items: { sku: string; qty: number; brand_code?: string }[]) =>
	world.call(Check, token, { items });
const one = async (token: string, sku: string, brand_code?: string) => {
	const answer = await ask(token, { sku, qty: 3, ...(brand_code === undefined ? {} : { brand_code }) });
	expect(answer.verdict).toBe("200");
	return answer.data.items[0];
};
const NOTHING = { available_qty: 0, atp_qty: 0, promised_qty: 0, backorder_qty: 0 };

describe("200", () => {
	it("counts a single SKU over the brand's own pool and the shared pool, without components", async () => {
		expect(await one(acme, "ONE")).toEqual({
			sku: "ONE",
			brand_code: "ACME",
			requested_qty: 3,
			available_qty: 25,
			atp_qty: 25,
			promised_qty: 0,
			backorder_qty: 0,
			tracks_inventory: true,
			known: true,
		});
	});

	it("shows the component of a SKU that takes several units, and counts whole ones", async () => {
		expect(await one(acme, "SIX")).toMatchObject({
			available_qty: 4,
			atp_qty: 4,
			components: [{ formula_id: formulas.get("F1"), per_kit: 6, available_units: 25, atp_units: 25 }],
		});
	});

	it("counts a kit in whole kits, each component from any of the pools", async () => {
		expect(await one(acme, "KIT")).toMatchObject({
			available_qty: 4,
			components: [
				{ formula_id: formulas.get("F1"), per_kit: 2, available_units: 25, atp_units: 25 },
				{ formula_id: formulas.get("F2"), per_kit: 1, available_units: 4, atp_units: 4 },
			],
		});
	});

	it("a key without shared access counts its brand's own pool alone", async () => {
		const { token } = await world.key({ brand: "ACME", sharedPool: false });
		expect(await one(token, "ONE")).toMatchObject({ brand_code: "ACME", available_qty: 20 });
		expect(await one(token, "KIT")).toMatchObject({ available_qty: 0 });
	});

	it("an unbound key counts the shared pool alone, or with the brand it names", async () => {
		expect(await one(unbound, "ONE")).toMatchObject({ brand_code: null, available_qty: 5 });
		expect(await one(unbound, "ONE", "BOLT")).toMatchObject({ brand_code: "BOLT", available_qty: 105 });
	});

	it("a bound key may name its own brand and is answered the same", async () => {
		const [named, silent] = [
			await ask(acme, { sku: "ONE", qty: 3, brand_code: "ACME" }),
			await ask(acme, { sku: "ONE", qty: 3 }),
		];
		expect(named.text).toBe(silent.text);
	});

	it("what is not sellable is known and counts nothing", async () => {
		expect(await one(acme, "ARCHIVED")).toMatchObject({ known: true, tracks_inventory: true, ...NOTHING });
		expect(await one(acme, "DRAFT")).toMatchObject({
			known: true,
			tracks_inventory: true,
			...NOTHING,
			components: [{ per_kit: 2, available_units: 0, atp_units: 0 }],
		});
		expect(await one(acme, "FEE")).toEqual({
			sku: "FEE",
			brand_code: "ACME",
			requested_qty: 3,
			...NOTHING,
			tracks_inventory: false,
			known: true,
		});
	});

	it("an unknown SKU, or an unknown brand of an unbound key, is no error: it is not known", async () => {
		const unknown = { requested_qty: 3, ...NOTHING, tracks_inventory: false, known: false };
		expect(await one(acme, "NOPE")).toEqual({ sku: "NOPE", brand_code: "ACME", ...unknown });
		expect(await one(unbound, "NOPE")).toEqual({ sku: "NOPE", brand_code: null, ...unknown });
		expect(await one(unbound, "ONE", "NOPE")).toEqual({ sku: "ONE", brand_code: "NOPE", ...unknown });
	});

	it("SKUs are told apart exactly: case, space and accents count, and nothing is trimmed", async () => {
		for (const sku of ["one", " ONE", "ONE ", "ONE\u0301", "ONE\n"]) {
			expect(await one(acme, sku)).toMatchObject({ sku, known: false });
		}
	});

	it("answers line by line, in order, each counted by itself", async () => {
		const { data } = await ask(
			acme,
			{ sku: "KIT", qty: 1 },
			{ sku: "NOPE", qty: 2 },
			{ sku: "ONE", qty: 25 },
			{ sku: "ONE", qty: 25 },
		);
		expect(data.items.map(({ sku, requested_qty, atp_qty }) => [sku, requested_qty, atp_qty])).toEqual([
			["KIT", 1, 4],
			["NOPE", 2, 0],
			["ONE", 25, 25],
			["ONE", 25, 25],
		]);
	});

	it("takes 100 lines and 10000 kits, and holds nothing", async () => {
		const before = await one(acme, "ONE");
		const { data } = await ask(acme, ...Array.from({ length: 100 }, () => ({ sku: "ONE", qty: 10_000 })));
		expect(data.items).toHaveLength(100);
		expect(await one(acme, "ONE")).toEqual(before);
	});

	it("asked for more than there is, it still answers what there is", async () => {
		const { data } = await ask(acme, { sku: "ONE", qty: 10_000 });
		expect(data.items[0]).toMatchObject({ requested_qty: 10_000, atp_qty: 25 });
	});

	it("is never kept by a cache", async () => {
		const answer = await ask(acme, { sku: "ONE", qty: 1 });
		expect(answer.header("cache-control")).toBe("no-store");
		expect(answer.header("etag")).toBeUndefined();
	});
});

describe("400 invalid_input", () => {
	it.each([
		["no items", {}, "/items: required"],
		["no line", { items: [] }, "/items: expected at least 1"],
		[
			"101 lines",
			{ items: Array.from({ length: 101 }, () => ({ sku: "ONE", qty: 1 })) },
			"/items: expected at most 100",
		],
		["a line that is no object", { items: ["ONE"] }, "/items/0: expected an object"],
		["no sku", { items: [{ qty: 1 }] }, "/items/0/sku: required"],
		["an empty sku", { items: [{ sku: "", qty: 1 }] }, "/items/0/sku:"],
		["no qty", { items: [{ sku: "ONE" }] }, "/items/0/qty: required"],
		["qty 0", { items: [{ sku: "ONE", qty: 0 }] }, "/items/0/qty: expected"],
		["qty 10001", { items: [{ sku: "ONE", qty: 10_001 }] }, "/items/0/qty: expected a number of at most 10000"],
		["half a kit", { items: [{ sku: "ONE", qty: 0.5 }] }, "/items/0/qty: expected an integer"],
		["a qty in quotes", { items: [{ sku: "ONE", qty: "1" }] }, "/items/0/qty: expected an integer"],
		["an empty brand", { items: [{ sku: "ONE", qty: 1, brand_code: "" }] }, "/items/0/brand_code:"],
		["a null brand", { items: [{ sku: "ONE", qty: 1, brand_code: null }] }, "/items/0/brand_code: expected a string"],
		["an unknown field of a line", { items: [{ sku: "ONE", qty: 1, price: 1 }] }, "/items/0/price: unknown"],
		["an unknown field", { items: [{ sku: "ONE", qty: 1 }], ttl_minutes: 5 }, "/ttl_minutes: unknown"],
		["NUL", { items: [{ sku: "O\u0000NE", qty: 1 }] }, "/items/0/sku: expected well-formed Unicode without NUL"],
		["half a surrogate pair", { items: [{ sku: "ONE\ud800", qty: 1 }] }, "/items/0/sku: expected well-formed"],
	])("%s", async (_what, body, message) => {
		const answer = await world.send(Check, acme, body);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(message);
	});

	it("an unbound key without shared access that names no brand has nothing to count", async () => {
		const { token } = await world.key({ sharedPool: false });
		const answer = await ask(token, { sku: "ONE", qty: 1, brand_code: "ACME" }, { sku: "ONE", qty: 1 });
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain("brand");
		expect(await one(token, "ONE", "ACME")).toMatchObject({ available_qty: 20 });
	});
});

describe("403 brand_mismatch", () => {
	it.each(["BOLT", "NOPE", "SANDBOX", "acme", "ACME "])("a key bound to ACME names %o", async (brand_code) => {
		expect((await ask(acme, { sku: "ONE", qty: 1, brand_code })).verdict).toBe("403 brand_mismatch");
	});

	it("an unbound live key names SANDBOX", async () => {
		expect((await ask(unbound, { sku: "ONE", qty: 1, brand_code: "SANDBOX" })).verdict).toBe("403 brand_mismatch");
	});

	it("one foreign brand refuses all lines, wherever it stands", async () => {
		const answer = await ask(
			acme,
			{ sku: "NOPE", qty: 1 },
			{ sku: "ONE", qty: 1 },
			{ sku: "ONE", qty: 1, brand_code: "BOLT" },
		);
		expect(answer.verdict).toBe("403 brand_mismatch");
	});

	it("comes before what a key must name", async () => {
		const { token } = await world.key({ sharedPool: false });
		const answer = await ask(token, { sku: "ONE", qty: 1 }, { sku: "ONE", qty: 1, brand_code: "SANDBOX" });
		expect(answer.verdict).toBe("403 brand_mismatch");
	});
});

describe("Environments", () => {
	it("a live key does not know the sandbox's SKUs, a sandbox key knows no others", async () => {
		const sku = unique("SBX");
		await world.has({ skus: [{ sku, name: "x", kind: "single", components: [{ formula: "F1", per_kit: 1 }] }] });
		const { token: sandbox } = await world.key({ brand: "SANDBOX" });
		expect(await one(acme, sku)).toMatchObject({ known: false });
		expect(await one(sandbox, sku)).toMatchObject({ known: true, brand_code: "SANDBOX", available_qty: 0 });
		expect(await one(sandbox, "ONE")).toMatchObject({ known: false });
	});

	it("a sandbox key draws on the sandbox's pool alone, and may name no other brand", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		for (const brand_code of ["ACME", "NOPE"]) {
			expect((await ask(token, { sku: "ONE", qty: 1, brand_code })).verdict).toBe("403 brand_mismatch");
		}
	});
});
