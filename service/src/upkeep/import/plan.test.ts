import { describe, expect, it } from "vitest";
import { inOneGo } from "../../ground/lib/paced.ts";
import type { SkuEntry } from "../../inventory/catalog/entries.ts";
import { type EntryKind, type EntryOf, emptyWorld, type LotEntry, naturalKey, type World } from "./entries.ts";
import { type Existing, planImport } from "./plan.ts";
import { takeJson } from "./read-world.ts";

const at = { file: "w.json", spot: "/x/0" };
const sku = (change: Partial<SkuEntry> = {}): SkuEntry => ({
	sku: "S",
	name: "Sku",
	product: "p",
	kind: "single",
	vialSize: null,
	components: [{ formula: "F", perKit: 1 }],
	testBehaviour: null,
	...change,
});
const lot = (change: Partial<LotEntry> = {}): LotEntry => ({
	formula: "F",
	brandCode: "A",
	batchNumber: "B",
	expiresOn: "2090-01-01",
	receivedOn: null,
	units: 10,
	...change,
});
const EXISTING: Existing = {
	brands: new Map([["A", { code: "A", poolId: 2, name: "Acme" }]]),
	formulas: new Map([["F", { code: "F", formulaId: "f", name: "Eff", status: "active" }]]),
	products: new Map([["p", { slug: "p", name: "Product" }]]),
	skus: new Map([["S", sku()]]),
	lots: new Map([[naturalKey("F", "A", "B"), { fgId: "l", expiresOn: "2090-01-01", received: 10, imported: 8 }]]),
	demand: new Map([[naturalKey("F", null, "PO"), 5]]),
	buffers: new Map([[naturalKey("F", "A"), 3]]),
	partners: new Map([["P", "p"]]),
	keys: new Map([[naturalKey("P", "k"), "key"]]),
	batchMeant: new Map([[naturalKey("F", "A", "b.1"), "B-1"]]),
	others: { formulas: ["F", "SERUM-30"] },
};
type Entries = { readonly [K in EntryKind]?: readonly EntryOf[K][] };
/** The plan for a world of these entries, all of which have the same place. */
const plan = (entries: Entries) => {
	const placed = Object.entries(entries).map(([kind, list]) => [kind, list.map((entry) => ({ at, entry }))]);
	return inOneGo(planImport({ ...emptyWorld(), ...Object.fromEntries(placed) } as World, EXISTING));
};
const key = (name: string, partner = "P") => ({
	name,
	partner,
	environment: "live" as const,
	brandCode: null,
	scopes: ["atp.check" as const],
	sharedPool: true,
});

describe("An import is what differs from what is there", () => {
	const cases: [string, Entries, EntryKind, "created" | "changed" | "unchanged"][] = [
		["a new brand", { brands: [{ code: "B", name: "B" }] }, "brands", "created"],
		["a renamed brand", { brands: [{ code: "A", name: "Other" }] }, "brands", "changed"],
		["the same brand", { brands: [{ code: "A", name: "Acme" }] }, "brands", "unchanged"],
		["an archived formula", { formulas: [{ code: "F", name: "Eff", status: "archived" }] }, "formulas", "changed"],
		["the same formula", { formulas: [{ code: "F", name: "Eff", status: "active" }] }, "formulas", "unchanged"],
		["a renamed product", { products: [{ slug: "p", name: "New" }] }, "products", "changed"],
		["the same SKU", { skus: [sku()] }, "skus", "unchanged"],
		["a SKU without its product", { skus: [sku({ product: null })] }, "skus", "changed"],
		["a SKU of more units", { skus: [sku({ components: [{ formula: "F", perKit: 2 }] })] }, "skus", "changed"],
		["a SKU of another size", { skus: [sku({ vialSize: "5 ml" })] }, "skus", "changed"],
		["the same lot", { lots: [lot()] }, "lots", "unchanged"],
		[
			"a lot with as many as imports brought, more of which came since",
			{ lots: [lot({ units: 8 })] },
			"lots",
			"unchanged",
		],
		["a lot with some of those that came since", { lots: [lot({ units: 9 })] }, "lots", "unchanged"],
		["a lot with more than it ever had", { lots: [lot({ units: 11 })] }, "lots", "changed"],
		["a lot received on another day", { lots: [lot({ receivedOn: "2026-01-01" })] }, "lots", "unchanged"],
		["a lot with more units", { lots: [lot({ units: 11 })] }, "lots", "changed"],
		["the batch in another pool", { lots: [lot({ brandCode: null })] }, "lots", "created"],
		["other demand", { demand: [{ formula: "F", brandCode: null, reference: "PO", units: 6 }] }, "demand", "changed"],
		[
			"demand taken away",
			{ demand: [{ formula: "F", brandCode: null, reference: "PO", units: 0 }] },
			"demand",
			"changed",
		],
		[
			"no demand where there is none",
			{ demand: [{ formula: "F", brandCode: null, reference: "X", units: 0 }] },
			"demand",
			"unchanged",
		],
		["the same buffer", { buffers: [{ formula: "F", brandCode: "A", units: 3 }] }, "buffers", "unchanged"],
		["a known partner", { partners: [{ name: "P" }] }, "partners", "unchanged"],
		["a known key, whatever else it says", { keys: [key("k")] }, "keys", "unchanged"],
		["a new key", { keys: [key("k2")] }, "keys", "created"],
	];
	it.for(cases)("%s is %s %s", ([, world, kind, verdict]) => {
		const told = plan(world);
		expect(told.problems).toEqual([]);
		const { created, changed, unchanged } = told.plan[kind];
		expect({ created: created.length, changed: changed.length, unchanged: unchanged.length }).toEqual({
			created: 0,
			changed: 0,
			unchanged: 0,
			[verdict]: 1,
		});
	});
});

describe("An import is refused as a whole", () => {
	const cases: [string, Entries, RegExp][] = [
		[
			"for an entry named twice",
			{
				brands: [
					{ code: "B", name: "B" },
					{ code: "B", name: "C" },
				],
			},
			/is the same as w\.json \/x\/0/,
		],
		[
			"for a SKU of an unknown formula",
			{ skus: [sku({ components: [{ formula: "G", perKit: 1 }] })] },
			/\/components\/0\/formula: there is no formula "G"/,
		],
		["for a SKU of an unknown product", { skus: [sku({ product: "q" })] }, /\/product: there is no product "q"/],
		["for a lot of an unknown formula", { lots: [lot({ formula: "G" })] }, /\/formula: there is no formula "G"/],
		["for a lot of an unknown brand", { lots: [lot({ brandCode: "Z" })] }, /\/brand_code: there is no brand "Z"/],
		[
			"for a lot with another expiry",
			{ lots: [lot({ expiresOn: null })] },
			/\/expires_on: this lot expires 2090-01-01, not never/,
		],
		[
			"for a lot with fewer units than imports brought",
			{ lots: [lot({ units: 7 })] },
			/\/units: imports have brought this lot 8 units, more than 7: leave 8 or more here/,
		],
		[
			"for demand of an unknown formula",
			{ demand: [{ formula: "G", brandCode: null, reference: "r", units: 1 }] },
			/no formula "G"/,
		],
		["for a key of an unknown partner", { keys: [key("k", "Q")] }, /\/partner: there is no partner "Q"/],
	];
	it.for(cases)("%s", ([, world, message]) => {
		const { problems } = plan(world);
		expect(problems).toHaveLength(1);
		expect(`${problems[0]?.at}: ${problems[0]?.message}`).toMatch(message);
	});

	it("but not when the missing thing comes with it", () => {
		const world = {
			brands: [{ code: "Z", name: "Z" }],
			formulas: [{ code: "G", name: "G", status: "active" as const }],
			lots: [lot({ formula: "G", brandCode: "Z" })],
		};
		expect(plan(world).problems).toEqual([]);
	});

	it("a name that is near one that exists, or one of the file, is taken for it", () => {
		const lots = [lot({ formula: "SERUM-3O" }), lot({ batchNumber: "C", brandCode: "ACMI" })];
		const { problems } = plan({ lots, brands: [{ code: "ACME", name: "Acme" }] });
		expect(problems.map(({ message }) => message)).toEqual([
			'there is no formula "SERUM-3O": did you mean "SERUM-30"? Otherwise add it to formulas',
			'there is no brand "ACMI": did you mean "ACME"? Otherwise add it to brands',
		]);
	});
});

describe("A row with a wrong field is held against the rest all the same", () => {
	const read = (file: object) => {
		const world = emptyWorld();
		const unread = takeJson(world, "w.json", JSON.stringify(file));
		return inOneGo(planImport(world, EXISTING, { unread })).problems.map(
			(problem) => `${problem.at}: ${problem.message}`,
		);
	};
	const wrongUnits = "/units: must be a whole number of units, 1 to 1000000000, not 0";
	it.for<[string, object, string[]]>([
		[
			"its other wrong fields and its references are named at once",
			{ lots: [{ formula: "G", brand_code: "Z", batch_number: "B", units: 0, expires_on: "2026-02-30" }] },
			[
				`w.json /lots/0${wrongUnits}`,
				"w.json /lots/0/expires_on: is not a day of the calendar",
				'w.json /lots/0/formula: there is no formula "G": add it to formulas, or correct the name',
				'w.json /lots/0/brand_code: there is no brand "Z": add it to brands, or correct the name',
			],
		],
		[
			"a name that it has leads to it, and another one does not",
			{
				formulas: [{ code: "NEW", name: "New", status: "on" }],
				lots: ["NEW", "G"].map((formula) => ({ formula, brand_code: null, batch_number: "N", units: 1 })),
			},
			[
				'w.json /formulas/0/status: must be draft, active or archived, not "on"',
				'w.json /lots/1/formula: there is no formula "G": add it to formulas, or correct the name',
			],
		],
		[
			"a name that cannot be read may be any",
			{
				formulas: [{ code: 7, name: "New", status: "active" }],
				lots: [{ formula: "G", brand_code: null, batch_number: "N", units: 1 }],
			},
			["w.json /formulas/0/code: must be a text of 1 to 200 characters, not 7"],
		],
		[
			"a key of a wrong time and an unknown partner",
			{
				keys: [
					{
						name: "k",
						partner: "Q",
						environment: "live",
						preset: "read_only",
						shared_pool: 1,
						expires_at: "2026-02-30T00:00:00Z",
					},
				],
			},
			[
				"w.json /keys/0/shared_pool: must be true or false, not 1",
				"w.json /keys/0/brand_code: is missing: name a brand, or null for an unbound key",
				"w.json /keys/0/expires_at: is not a valid date and time",
				'w.json /keys/0/partner: there is no partner "Q": add it to partners, or correct the name',
			],
		],
		[
			"a SKU with one wrong component keeps its product",
			{ skus: [{ sku: "T", name: "T", product: "q", kind: "single", components: [{ formula: "F", per_kit: 0 }] }] },
			[
				"w.json /skus/0/components/0/per_kit: must be a whole number of units, 1 to 10000, not 0",
				'w.json /skus/0/product: there is no product "q": add it to products, or correct the name',
			],
		],
	])("%s", ([, file, expected]) => expect(read(file)).toEqual(expected));
});
