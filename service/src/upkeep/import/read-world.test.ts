import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptyWorld, type Placed } from "./entries.ts";
import { readWorld, takeFiles, takeJson } from "./read-world.ts";

const problemsOf = (file: unknown): string[] =>
	takeJson(emptyWorld(), "w.json", typeof file === "string" ? file : JSON.stringify(file)).map(
		({ at, message }) => `${at}: ${message}`,
	);
const key = { name: "k", partner: "P", environment: "live", brand_code: null, preset: "read_only", shared_pool: true };
const lot = { formula: "F", brand_code: null, batch_number: "B", units: 1 };
const sku = { sku: "S", name: "S", kind: "single", components: [{ formula: "F", per_kit: 1 }] };

describe("What is wrong in a world.json is named by JSON pointer, with what was expected", () => {
	const cases: [string, unknown, string[]][] = [
		["not JSON", "{", ["w.json: is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)"]],
		[
			"not an object",
			[],
			[
				"w.json: must be one JSON object with any of brands, formulas, products, skus, lots, demand, buffers, partners, keys",
			],
		],
		[
			"an unknown section",
			{ sku: [] },
			[
				"w.json /sku: is not a known section: the sections are brands, formulas, products, skus, lots, demand, buffers, partners, keys",
			],
		],
		["a section that is no list", { skus: {} }, ["w.json /skus: must be a list"]],
		["a row that is no object", { skus: [7] }, ["w.json /skus/0: must be an object, not 7"]],
		["a missing field", { brands: [{ code: "A" }] }, ["w.json /brands/0/name: is missing"]],
		[
			"an unknown field",
			{ brands: [{ code: "A", name: "A", "a/b": 1 }] },
			["w.json /brands/0/a~1b: is not a known field"],
		],
		[
			"a wrong choice",
			{ formulas: [{ code: "A", name: "A", status: "on" }] },
			['w.json /formulas/0/status: must be draft, active or archived, not "on"'],
		],
		[
			"an empty text",
			{ brands: [{ code: "", name: "A" }] },
			['w.json /brands/0/code: must be a text of 1 to 200 characters, not ""'],
		],
		[
			"NUL in a text",
			{ brands: [{ code: "a\u0000", name: "A" }] },
			['w.json /brands/0/code: must be a text of 1 to 200 characters, not "a\\u0000"'],
		],
		[
			"a lone surrogate",
			{ brands: [{ code: "a\ud800", name: "A" }] },
			['w.json /brands/0/code: must be a text of 1 to 200 characters, not "a\\ud800"'],
		],
		[
			"units that are no count",
			{ lots: [{ ...lot, units: 1.5 }] },
			["w.json /lots/0/units: must be a whole number of units, 1 to 1000000000, not 1.5"],
		],
		[
			"too many units",
			{ lots: [{ ...lot, units: 1e9 + 1 }] },
			["w.json /lots/0/units: must be a whole number of units, 1 to 1000000000, not 1000000001"],
		],
		[
			"a brand that is no text",
			{ lots: [{ ...lot, brand_code: 3 }] },
			["w.json /lots/0/brand_code: must be the code of a brand, or null, not 3"],
		],
		[
			"a day that does not exist",
			{ lots: [{ ...lot, expires_on: "2026-02-30" }] },
			["w.json /lots/0/expires_on: is not a day of the calendar"],
		],
		[
			"a deep field",
			{ skus: [{ ...sku, components: [{ formula: "F", per_kit: 0 }] }] },
			["w.json /skus/0/components/0/per_kit: must be a whole number of units, 1 to 10000, not 0"],
		],
		[
			"a single SKU of two formulas",
			{
				skus: [
					{
						...sku,
						components: [
							{ formula: "F", per_kit: 1 },
							{ formula: "G", per_kit: 1 },
						],
					},
				],
			},
			["w.json /skus/0/components: must name exactly one formula for a single SKU"],
		],
		[
			"a kit of one formula",
			{ skus: [{ ...sku, kind: "kit" }] },
			["w.json /skus/0/components: must name two or more formulas for a kit (or none: without a recipe yet)"],
		],
		[
			"a fee with a recipe",
			{ skus: [{ ...sku, kind: "non_physical" }] },
			["w.json /skus/0/components: must be empty for a non_physical SKU"],
		],
		[
			"a formula twice in one kit",
			{
				skus: [
					{
						...sku,
						kind: "kit",
						components: [
							{ formula: "F", per_kit: 1 },
							{ formula: "F", per_kit: 1 },
						],
					},
				],
			},
			['w.json /skus/0/components/1/formula: names formula "F" a second time: add the units up in one component'],
		],
		[
			"a SKU of the sandbox itself",
			{ skus: [{ ...sku, sku: "SBX-LOW" }] },
			["w.json /skus/0/sku: is reserved for the sandbox: choose another name"],
		],
		[
			"a live key bound to SANDBOX",
			{ keys: [{ ...key, brand_code: "SANDBOX" }] },
			[
				"w.json /keys/0/brand_code: A live key cannot be bound to the brand SANDBOX: make it a sandbox key, or name another brand.",
			],
		],
		[
			"a sandbox key bound elsewhere",
			{ keys: [{ ...key, environment: "sandbox", brand_code: "ACME", shared_pool: false }] },
			["w.json /keys/0/brand_code: A sandbox key is always bound to the brand SANDBOX: name that brand, or none."],
		],
		[
			"a sandbox key on the shared pool",
			{ keys: [{ ...key, environment: "sandbox" }] },
			["w.json /keys/0/shared_pool: A sandbox key never draws on the shared pool."],
		],
		[
			"both preset and scopes",
			{ keys: [{ ...key, scopes: ["atp.check"] }] },
			["w.json /keys/0: needs either preset or scopes, not both"],
		],
		[
			"an unknown scope",
			{ keys: [{ ...key, preset: undefined, scopes: ["atp.all"] }] },
			[expect.stringMatching(/^w\.json \/keys\/0\/scopes\/0: must be one of atp\.check, /)],
		],
		[
			"a rate beyond the limit",
			{ keys: [{ ...key, requests_per_minute: 1_000_001 }] },
			["w.json /keys/0/requests_per_minute: must be a whole number, 1 to 1000000, or null, not 1000001"],
		],
		[
			"a cap on no units",
			{ keys: [{ ...key, max_held_units: 0 }] },
			["w.json /keys/0/max_held_units: must be a whole number, 1 to 2147483647, or null, not 0"],
		],
		[
			"a time without a zone",
			{ keys: [{ ...key, expires_at: "2026-01-01T00:00:00" }] },
			['w.json /keys/0/expires_at: must be a time, RFC 3339 with its zone, or null, not "2026-01-01T00:00:00"'],
		],
		[
			"a name that is a trap",
			'{"__proto__": [], "brands": [{"code": "A", "name": "B", "__proto__": 1}]}',
			[
				expect.stringContaining("w.json /__proto__: is not a known section"),
				"w.json /brands/0/__proto__: is not a known field",
			],
		],
	];
	it.for(cases)("%s", ([, file, expected]) => expect(problemsOf(file)).toEqual(expected));

	it("names every bad row, not only the first", () => {
		expect(problemsOf({ brands: [{}, { code: "A", name: "A" }, {}] })).toEqual([
			"w.json /brands/0/code: is missing",
			"w.json /brands/0/name: is missing",
			"w.json /brands/2/code: is missing",
			"w.json /brands/2/name: is missing",
		]);
	});
});

describe("The same rows import from CSV files, errors named by file and line", () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "holdfast-import-"));
	});
	afterEach(() => rm(folder, { recursive: true }));
	const write = (name: string, text: string | Buffer) => writeFile(join(folder, name), text);
	const read = async (...paths: string[]) => {
		const { files, problems: unread } = await readWorld(paths.length > 0 ? paths : [folder]);
		const { world, problems: wrong } = takeFiles(files);
		const problems = [...unread, ...wrong];
		return { world, problems: problems.map(({ at, message }) => `${at.replace(`${folder}/`, "")}: ${message}`) };
	};

	it("names every row of a file in which all are wrong, however many there are", async () => {
		const many = 200_000;
		await write("demand.csv", `formula,brand_code,reference,units\n${"F,,PO,none\n".repeat(many)}`);
		const { problems } = takeFiles((await readWorld([folder])).files);
		expect(problems).toHaveLength(many);
		expect(problems.at(-1)?.at).toBe(`${join(folder, "demand.csv")} line ${many + 1}, units`);
	});

	it("reads a folder of files into the same entries as JSON", async () => {
		await write("formulas.csv", "\uFEFFname,code,status\r\nFirst,F1,active\r\n");
		await write("skus.csv", 'sku,name,kind,components\nS,"a ""quoted"", name",kit,F1*2;F*2*3\nFEE,Fee,non_physical,\n');
		await write("lots.csv", "formula,brand_code,batch_number,expires_on,units\nF1,,B1,2090-01-01,10\nF1,ACME,B2,,20\n");
		await write("notes.txt", "not ours");
		const { world, problems } = await read();
		expect(problems).toEqual([]);
		const json = emptyWorld();
		takeJson(
			json,
			"w.json",
			JSON.stringify({
				formulas: [{ code: "F1", name: "First", status: "active" }],
				skus: [
					{
						sku: "S",
						name: 'a "quoted", name',
						kind: "kit",
						components: [
							{ formula: "F1", per_kit: 2 },
							{ formula: "F*2", per_kit: 3 },
						],
					},
					{ sku: "FEE", name: "Fee", kind: "non_physical" },
				],
				lots: [
					{ formula: "F1", brand_code: null, batch_number: "B1", expires_on: "2090-01-01", units: 10 },
					{ formula: "F1", brand_code: "ACME", batch_number: "B2", units: 20 },
				],
			}),
		);
		const withoutPlace = (placed: readonly Placed[]) => placed.map(({ entry }) => entry);
		for (const kind of ["formulas", "skus", "lots"] as const) {
			expect(withoutPlace(world[kind])).toEqual(withoutPlace(json[kind]));
		}
	});

	it("refuses a file of the folder that was meant to be read and has another name", async () => {
		await write("brands.csv", "code,name\nACME,Acme\n");
		await write("lot.csv", "formula,brand_code,batch_number,units\nF,,B,1\n");
		await write("keys.csv", "name\n");
		expect((await read()).problems).toEqual([
			"keys.csv: keys come from world.json only: put them there, and take this file out of the folder",
			expect.stringMatching(/^lot\.csv: is not read: a folder may contain world\.json, .*lots\.csv/),
		]);
	});

	it.for([
		["semicolons", ";"],
		["tabs", "\t"],
	] as const)("reads cells separated by %s, as spreadsheets write them", async ([, by]) => {
		const lines = [
			["sku", "name", "kind", "components"],
			["S", "Set", "kit", '"F*2;G*1"'],
		];
		await write("skus.csv", `\uFEFF${lines.map((cells) => cells.join(by)).join("\r\n")}\r\n`);
		const { world, problems } = await read();
		expect(problems).toEqual([]);
		expect(world.skus[0]?.entry.components).toEqual([
			{ formula: "F", perKit: 2 },
			{ formula: "G", perKit: 1 },
		]);
	});

	const cases: [string, string, string, string[]][] = [
		[
			"a bad cell",
			"lots.csv",
			"formula,brand_code,batch_number,units\nF,,B,1\nF,,C,two\n",
			['lots.csv line 3, units: must be a whole number of units, 1 to 1000000000, not "two"'],
		],
		[
			"a day that does not exist",
			"lots.csv",
			"formula,brand_code,batch_number,units,expires_on\nF,,B,1,2026-13-01\n",
			["lots.csv line 2, expires_on: is not a day of the calendar"],
		],
		[
			"a bad recipe",
			"skus.csv",
			"sku,name,kind,components\nS,S,single,F\n",
			[
				"skus.csv line 2, components: must be formula*per_kit;formula*per_kit, each formula once and per_kit 1 to 10000",
			],
		],
		[
			"a missing column",
			"formulas.csv",
			"code,name\nF,F\n",
			[
				"formulas.csv line 1: column status is missing: the columns are code,name,status, separated by commas, semicolons or tabs",
			],
		],
		[
			"an unknown column",
			"formulas.csv",
			"code,name,status,colour\n",
			[
				'formulas.csv line 1: column "colour" is not known: the columns are code,name,status, separated by commas, semicolons or tabs',
			],
		],
		[
			"too few cells",
			"formulas.csv",
			"code,name,status\nF,F\n",
			["formulas.csv line 2: has 2 cells where the header has 3"],
		],
		[
			"a quote that never ends",
			"formulas.csv",
			'code,name,status\nF,"F,active\n',
			[expect.stringMatching(/^formulas\.csv line \d: is not CSV: /)],
		],
		[
			"a name nobody knows",
			"lot.csv",
			"a\n",
			[expect.stringMatching(/^lot\.csv: is not a known name: call it .*lots\.csv/)],
		],
	];
	it.for(cases)("%s", async ([, name, text, expected]) => {
		await write(name, text);
		expect((await read(join(folder, name))).problems).toEqual(expected);
	});

	it("says what is wrong with a file that cannot be used at all", async () => {
		await write("world.json", Buffer.from([0x7b, 0xff, 0x7d]));
		expect((await read()).problems).toEqual(["world.json: is not UTF-8: save it in that encoding"]);
		expect((await read(join(folder, "none.json"))).problems).toEqual([
			"none.json: cannot be found: give the path of a JSON file, of CSV files or of their folder",
		]);
		await rm(join(folder, "world.json"));
		expect((await read()).problems).toEqual([expect.stringMatching(/contains none of world\.json, brands\.csv, /)]);
	});
});
