import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReserveCache } from "../../src/inventory/prepaid/contract.ts";
import { Check, Summary } from "../../src/inventory/stock/contract.ts";
import { openWorld, type Stocked, unique, type World } from "./world.ts";

let world: World;
let acme: string;
let unbound: string;
let one: Stocked;
let other: Stocked;

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: ["ACME", "BOLT", "CORE"].map((code) => ({ code, name: code })),
		skus: [{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] }],
	});
	one = await world.stocked([{ brand: "ACME", units: 10 }]);
	other = await world.stocked([{ brand: "ACME", units: 10 }]);
	acme = (await world.key({ brand: "ACME" })).token;
	unbound = (await world.key()).token;
});
afterAll(() => world.stop());

const AS_OF = "2026-09-06T12:00:00Z";
let pushes = 0;
type Item = { sku?: string; formula_id?: string; prepaid_units: number; used_units?: number };
const push = (items: Item[], { brand = "ACME", sequence = ++pushes, key = acme, as_of = AS_OF } = {}) =>
	world.call(ReserveCache, key, { brand_code: brand, sequence, as_of, items });

/** The prepaid units in the summary by formula, without zeros. */
async function prepaid(brand = "ACME"): Promise<Record<string, number>> {
	const { data } = await world.call(Summary, unbound, { brand_code: brand, limit: 500 });
	return Object.fromEntries(
		data.items.filter((item) => item.prepaid_units > 0).map((item) => [item.formula_id, item.prepaid_units]),
	);
}

describe("200", () => {
	it("replaces the brand's whole mirror, and says what became of it", async () => {
		const first = await push([
			{ sku: one.sku, prepaid_units: 7, used_units: 2 },
			{ formula_id: other.formulaId.toUpperCase(), prepaid_units: 3 },
		]);
		const { sequence, replaced: before } = first.data;
		expect(first.data).toEqual({
			brand_code: "ACME",
			sequence,
			applied: true,
			items: 2,
			replaced: before,
			mirrored_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		});
		expect(await prepaid()).toEqual({ [one.formulaId]: 7, [other.formulaId]: 3 });
		const second = await push([{ sku: one.sku, prepaid_units: 0 }]);
		expect(second.data).toMatchObject({ applied: true, items: 1, replaced: 2 });
		expect(await prepaid()).toEqual({});
		expect((await push([])).data).toMatchObject({ applied: true, items: 0, replaced: 1 });
	});

	it("a sequence that is not above the one kept changes nothing, and answers with what is kept", async () => {
		const sequence = ++pushes * 100;
		pushes = sequence;
		const kept = (await push([{ sku: one.sku, prepaid_units: 5 }], { sequence })).data;
		for (const late of [sequence, sequence - 1, 0]) {
			const { data } = await push([{ sku: other.sku, prepaid_units: 9 }], { sequence: late });
			expect(data).toEqual({ ...kept, applied: false, replaced: 0 });
		}
		expect(await prepaid()).toEqual({ [one.formulaId]: 5 });
	});

	it("a first push may have the sequence 0, and a sequence may be as large as a JSON reader can hold", async () => {
		expect((await push([], { brand: "CORE", sequence: 0, key: unbound })).data).toMatchObject({ applied: true });
		const sequence = Number.MAX_SAFE_INTEGER;
		const { data } = await push([], { brand: "CORE", sequence, key: unbound });
		expect(data).toMatchObject({ applied: true, sequence });
		expect((await push([], { brand: "CORE", sequence, key: unbound })).data).toMatchObject({ applied: false });
	});

	it("brands have mirrors of their own", async () => {
		await push([{ sku: one.sku, prepaid_units: 5 }]);
		await push([{ sku: one.sku, prepaid_units: 6 }], { brand: "BOLT", sequence: 1, key: unbound });
		expect(await prepaid("BOLT")).toEqual({ [one.formulaId]: 6 });
		expect(await prepaid()).toEqual({ [one.formulaId]: 5 });
	});

	it("changes no count", async () => {
		const counts = async () => (await world.call(Check, acme, { items: [{ sku: one.sku, qty: 1 }] })).data;
		const before = await counts();
		await push([{ sku: one.sku, prepaid_units: 1_000_000, used_units: 1_000_000 }]);
		expect(await counts()).toEqual(before);
		expect(await world.audit()).toEqual([]);
	});

	it("takes 5,000 items", async () => {
		const codes = Array.from({ length: 5_000 }, () => unique("P"));
		await world.has({
			formulas: codes.map((code) => ({ code, name: code, status: "active" })),
			skus: codes.map((sku) => ({ sku, name: sku, kind: "single", components: [{ formula: sku, per_kit: 1 }] })),
		});
		const items = codes.map((sku) => ({ sku, prepaid_units: 1 }));
		expect((await push(items)).data).toMatchObject({ applied: true, items: 5_000 });
		expect((await push([])).data).toMatchObject({ applied: true, replaced: 5_000 });
	});
});

describe("Pushes that race", () => {
	it("leave the mirror of the highest sequence, whole; each that was above what was kept when its turn came is applied", async () => {
		const base = pushes;
		pushes += 24;
		const sequences = Array.from({ length: 24 }, (_, n) => base + 1 + ((n * 7) % 24));
		const answers = await Promise.all(
			sequences.map((sequence) =>
				push(
					[
						{ sku: one.sku, prepaid_units: sequence },
						{ sku: other.sku, prepaid_units: sequence },
					],
					{ sequence },
				),
			),
		);
		for (const [n, { data }] of answers.entries()) {
			expect(data.items).toBe(2);
			if (data.applied) expect(data.sequence).toBe(sequences[n]);
			else expect(data.sequence).toBeGreaterThanOrEqual(sequences[n] as number);
		}
		expect(answers.find(({ data }) => data.sequence === pushes && data.applied)).toBeDefined();
		expect(await prepaid()).toEqual({ [one.formulaId]: pushes, [other.formulaId]: pushes });
	});

	it("two with one sequence: exactly one is applied", async () => {
		for (let round = 0; round < 5; round++) {
			const sequence = ++pushes;
			const answers = await Promise.all(
				[1, 2, 3].map((units) => push([{ sku: one.sku, prepaid_units: units }], { sequence })),
			);
			const applied = answers.flatMap(({ data }, n) => (data.applied ? [n + 1] : []));
			expect(applied).toHaveLength(1);
			expect(await prepaid()).toEqual({ [one.formulaId]: applied[0] });
		}
	});
});

describe("422 invalid_item names the item, and nothing changes", () => {
	it.each([
		["an unknown SKU", { sku: "NOPE" }, "/items/1/sku"],
		["a SKU of the sandbox", { sku: "SBX-PLENTY" }, "/items/1/sku"],
		["a SKU without stock", { sku: "FEE" }, "/items/1/sku"],
		["an unknown formula", { formula_id: "0199f0a0-0000-7000-8000-00000000abcd" }, "/items/1/formula_id"],
	] as const)("%s", async (_what, named, at) => {
		await push([{ sku: other.sku, prepaid_units: 4 }]);
		const answer = await push([
			{ sku: one.sku, prepaid_units: 1 },
			{ ...named, prepaid_units: 1 },
		]);
		expect(answer.verdict).toBe("422 invalid_item");
		expect(answer.error.message).toContain(`${at}: `);
		expect(answer.error.message).toContain(Object.values(named)[0]);
		expect(await prepaid()).toEqual({ [other.formulaId]: 4 });
	});

	it("a kit, whose units are of several formulas", async () => {
		const sku = unique("KIT");
		const components = [one, other].map(({ code }) => ({ formula: code, per_kit: 1 }));
		await world.has({ skus: [{ sku, name: sku, kind: "kit", components }] });
		const answer = await push([{ sku, prepaid_units: 1 }]);
		expect(answer.verdict).toBe("422 invalid_item");
		expect(answer.error.message).toContain("name its formulas by formula_id");
	});

	it("a formula that no SKU of the key's environment is made of looks like one that does not exist", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const mine = (formula_id: string) => push([{ formula_id, prepaid_units: 1 }], { brand: "SANDBOX", key: token });
		const nobodys = "0199f0a0-0000-7000-8000-00000000abcd";
		const [theirs, none] = [await mine(one.formulaId), await mine(nobodys)];
		expect(theirs.verdict).toBe("422 invalid_item");
		expect(theirs.text.replace(one.formulaId, nobodys)).toBe(none.text);
	});
});

describe("400 invalid_input", () => {
	const good = () => ({ brand_code: "ACME", sequence: ++pushes, as_of: AS_OF, items: [] as unknown[] });
	const item = (fields: object) => ({ ...good(), items: [{ prepaid_units: 1, ...fields }] });
	it.each([
		["no brand", () => ({ ...good(), brand_code: undefined }), "/brand_code"],
		["an empty brand", () => ({ ...good(), brand_code: "" }), "/brand_code"],
		["no sequence", () => ({ ...good(), sequence: undefined }), "/sequence"],
		["a sequence below 0", () => ({ ...good(), sequence: -1 }), "/sequence"],
		["half a sequence", () => ({ ...good(), sequence: 1.5 }), "/sequence"],
		["a sequence too large to be told exactly", () => ({ ...good(), sequence: 2 ** 53 }), "/sequence"],
		["no time", () => ({ ...good(), as_of: undefined }), "/as_of"],
		["a time that is none", () => ({ ...good(), as_of: "yesterday" }), "/as_of"],
		["no items", () => ({ ...good(), items: undefined }), "/items"],
		[
			"5,001 items",
			() => ({ ...good(), items: Array.from({ length: 5_001 }, () => ({ sku: "A", prepaid_units: 1 })) }),
			"/items",
		],
		["an item without a name", () => item({}), "/items/0"],
		["an item with two names", () => item({ sku: "A", formula_id: one.formulaId }), "/items/0"],
		["a formula id that is none", () => item({ formula_id: "A" }), "/items/0/formula_id"],
		["units below 0", () => item({ sku: "A", prepaid_units: -1 }), "/items/0/prepaid_units"],
		["used units below 0", () => item({ sku: "A", used_units: -1 }), "/items/0/used_units"],
		["units that no lot could have", () => item({ sku: "A", prepaid_units: 1_000_000_001 }), "/items/0/prepaid_units"],
		["an unknown field", () => item({ sku: "A", units: 1 }), "/items/0/units"],
		[
			"the same item twice",
			() => ({ ...good(), items: [1, 2].map((prepaid_units) => ({ sku: one.sku, prepaid_units })) }),
			"/items/1: the same item as /items/0",
		],
	] as const)("%s", async (_what, body, message) => {
		const answer = await world.send(ReserveCache, acme, body());
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(message);
	});

	it("the same item in another spelling of its id", async () => {
		const items = [one.formulaId, one.formulaId.toUpperCase()].map((formula_id) => ({ formula_id, prepaid_units: 1 }));
		expect((await push(items)).verdict).toBe("400 invalid_input");
	});
});

describe("Refusals", () => {
	it.each(["BOLT", "NOPE", "SANDBOX"])("403 brand_mismatch: a key bound to ACME names %s", async (brand) => {
		expect((await push([{ sku: "NOPE", prepaid_units: 1 }], { brand })).verdict).toBe("403 brand_mismatch");
	});

	it("422 unknown_brand_code: an unbound key names a brand that does not exist; SANDBOX is 403", async () => {
		expect((await push([], { brand: "NOPE", key: unbound })).verdict).toBe("422 unknown_brand_code");
		expect((await push([], { brand: "SANDBOX", key: unbound })).verdict).toBe("403 brand_mismatch");
	});

	it("403 forbidden: without the scope", async () => {
		const { token } = await world.key({ brand: "ACME", scopes: ["atp.summary"] });
		expect((await push([], { key: token })).verdict).toBe("403 forbidden");
	});
});
