import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

/*
 * Everyday problems of an operator: an import with mistakes or changes, invalid keys, a mistyped folder.
 */

let house: House;
let folder: string;
let env: Record<string, string>;

const run = (...args: string[]) => holdfast([...args, "--json"], env);
const write = async (name: string, content: object): Promise<string> => {
	await writeFile(join(folder, name), JSON.stringify(content));
	return join(folder, name);
};

beforeAll(async () => {
	const entry = newKeyRingEntry();
	house = await openHouse({ env: { HOLDFAST_SECRET_KEYS: entry } });
	folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
	env = {
		HOLDFAST_DATABASE_URL: house.url,
		HOLDFAST_SECRET_KEYS: entry,
		HOLDFAST_ADMIN_SOCKET: house.socket,
	};
	const world = await write("world.json", {
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: [{ code: "F", name: "First", status: "active" }],
		skus: [{ sku: "S", name: "Single", kind: "single", components: [{ formula: "F", per_kit: 2 }] }],
		lots: [{ formula: "F", brand_code: "ACME", batch_number: "B", units: 10 }],
	});
	expect((await run("import", world)).code).toBe(0);
}, 180_000);
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true });
});

describe("Units that come in", () => {
	const receive = (batch: string, ...more: string[]) =>
		run("stock", "receive", "--formula", "F", "--batch", batch, "--units", "3", ...more);

	it("have a reason in the ledger beside their batch number", async () => {
		const { fg_id } = (await receive("R-1", "--reason", "delivery note 7")).json;
		expect((await run("stock", "history", fg_id)).json.items).toMatchObject([
			{ cause: "receive", units: 3, about: "R-1", reason: "delivery note 7" },
		]);
	});

	it("are of no batch that only looks like another: white space at either end is refused", async () => {
		for (const batch of ["R-1 ", " R-1", "R-1\u00a0"]) {
			const { code, json } = await receive(batch);
			expect([code, json.error.message]).toEqual([1, expect.stringContaining("white space")]);
		}
		const file = await write("blank.json", {
			lots: [{ formula: "F", brand_code: "ACME", batch_number: "B ", units: 15 }],
		});
		const { json } = await run("import", file);
		expect(json.error.problems).toMatchObject([{ message: expect.stringContaining("white space") }]);
	}, 180_000);
});

describe("An import", () => {
	it("names what it changes with old and new value, also before it does", async () => {
		const file = await write("change.json", {
			formulas: [{ code: "F", name: "First", status: "archived" }],
			skus: [{ sku: "S", name: "Single", kind: "single", components: [{ formula: "F", per_kit: 3 }] }],
			lots: [{ formula: "F", brand_code: "ACME", batch_number: "B", units: 15 }],
			demand: [{ formula: "F", brand_code: null, reference: "PO-1", units: 4 }],
		});
		const changes = [
			{
				section: "formulas",
				name: "F",
				change: "change",
				fields: [{ field: "status", from: "active", to: "archived" }],
			},
			{ section: "skus", name: "S", change: "change", fields: [{ field: "components", from: "F*2", to: "F*3" }] },
			{ section: "lots", name: "F, ACME, B", change: "change", fields: [{ field: "units", from: 10, to: 15 }] },
			{
				section: "demand",
				name: "F, shared, PO-1",
				change: "create",
				fields: [{ field: "units", from: null, to: expect.any(Number) }],
			},
		];
		expect((await run("import", file, "--dry-run")).json.changes).toEqual(changes);
		const said = await holdfast(["import", file, "--dry-run"], env);
		expect(said.out).toMatch(/formulas\s+F\s+status\s+active\s+archived/);
		expect(said.out).toMatch(/demand\s+F, shared, PO-1\s+units\s+\(new\)\s+\d+/);
		expect((await run("import", file)).json.changes).toEqual(changes);
		expect((await run("import", file)).json.changes).toEqual([]);
	}, 180_000);

	it("names every problem at once: those of the rows, and those of what they name", async () => {
		const file = await write("mixed.json", {
			lots: [
				{ formula: "F", brand_code: "ACME", batch_number: "X", units: 0 },
				{ formula: "NONE", brand_code: "ACME", batch_number: "Y", units: 1 },
				{ formula: "F", brand_code: "NOBODY", batch_number: "Z", units: 1 },
			],
		});
		const { code, json } = await run("import", file);
		expect(code).toBe(1);
		expect(json.error.problems).toEqual([
			{ at: `${file} /lots/0/units`, message: "must be a whole number of units, 1 to 1000000000, not 0" },
			{ at: `${file} /lots/1/formula`, message: expect.stringContaining('there is no formula "NONE"') },
			{ at: `${file} /lots/2/brand_code`, message: expect.stringContaining('there is no brand "NOBODY"') },
		]);
	}, 180_000);

	it.for([
		[["stock", "show", "--brand", "acme"], 'There is no brand "acme": did you mean "ACME"?'],
		[
			["stock", "receive", "--formula", "f", "--batch", "B", "--units", "1"],
			'There is no formula "f": did you mean "F"?',
		],
		[["explain", "s"], 'There is no SKU "s": did you mean "S"?'],
		[
			["demand", "add", "--formula", "NONE", "--units", "1", "--reference", "R"],
			'There is no formula "NONE": import it first.',
		],
	] as const)("%j: a code is refused with the one that was probably meant", async ([command, message]) => {
		const { code, json } = await run(...command);
		expect([code, json.error.message]).toEqual([1, message]);
	});

	it("says nothing of names that may stand in a row that could not be read", async () => {
		const file = await write("unread.json", {
			formulas: [{ code: "NEW", name: "New", status: "on" }],
			lots: [{ formula: "NEW", brand_code: "ACME", batch_number: "N", units: 1 }],
		});
		const { json } = await run("import", file);
		expect(json.error.problems.map(({ at }: { at: string }) => at)).toEqual([`${file} /formulas/0/status`]);
	}, 180_000);
});

describe("A batch number that is nearly another's", () => {
	it("is refused until it is said to be meant, and named by a recall of the other", async () => {
		const receive = (batch: string, ...more: string[]) =>
			run("stock", "receive", "--formula", "F", "--batch", batch, "--units", "5", ...more);
		await receive("Q-77");
		const misspelt = 'There is a batch "Q-77" of F: did you mean that one?';
		expect((await receive("q77")).json.error.message).toBe(
			`${misspelt} To receive it as another batch, set --new-batch.`,
		);
		const file = await write("near.json", {
			lots: [
				{ formula: "F", brand_code: null, batch_number: "q77", units: 1 },
				{ formula: "F", brand_code: null, batch_number: "W 5", units: 1 },
				{ formula: "F", brand_code: null, batch_number: "w5", units: 1 },
			],
		});
		const refused = (await run("import", file)).json.error.problems.map(({ message }: { message: string }) => message);
		expect(refused).toEqual([
			`${misspelt} To import "q77" as another batch, set --new-batch`,
			'There is a batch "W 5" of F: did you mean that one? To import "w5" as another batch, set --new-batch',
		]);
		expect((await run("import", file, "--new-batch")).json.created).toMatchObject({ lots: 3 });
		expect((await run("import", file)).json.unchanged, "known batches are taken as they are").toMatchObject({
			lots: 3,
		});
		expect((await receive("q77")).json).toMatchObject({ received: 6 });
		const recalled = await run("stock", "recall", "--batch", "Q-77", "--reason", "lab");
		expect(recalled.json.nearly_the_same).toMatchObject([{ formula: "F", batch_number: "q77" }]);
		const unknown = await run("stock", "recall", "--batch", "q 77", "--reason", "lab");
		expect(unknown.json.error.message).toBe('There is no lot with batch number "q 77": did you mean "Q-77"?');
	}, 180_000);
});

describe("A lot is named by its batch number", () => {
	it("in every command, and where several lots have it they are listed", async () => {
		const batch = ["--formula", "F", "--batch", "N.7", "--units", "5"];
		const { fg_id } = (await run("stock", "receive", ...batch)).json;
		expect((await run("stock", "correct", "N.7", "--units", "-1", "--reason", "broken")).json).toMatchObject({ fg_id });
		expect((await run("stock", "quarantine", "N.7", "--units", "2", "--reason", "damp")).json).toMatchObject({ fg_id });
		expect((await run("stock", "show", "N.7")).json).toMatchObject({ fg_id, available: 2, quarantined: 2 });
		const unknown = await run("stock", "locate", "n 7", "--location", "A-1");
		expect([unknown.code, unknown.json.error.message]).toEqual([
			1,
			expect.stringMatching(/^There is no lot with batch number "n 7": did you mean "N\.7"\?/),
		]);
		const other = (await run("stock", "receive", ...batch, "--brand", "ACME")).json.fg_id;
		const several = await run("stock", "correct", "N.7", "--units", "1", "--reason", "found");
		expect([several.code, several.json.error.message]).toEqual([
			1,
			`2 lots have batch number "N.7": ${fg_id} (F, shared stock), ${other} (F, ACME). Give the id of one, or narrow them down by --formula and --brand.`,
		]);
		const kept = await run("stock", "locate", "N.7", "--brand", "shared", "--location", "A-1");
		expect(kept.json).toMatchObject({ fg_id });
		const moves = (await run("stock", "history", "N.7", "--brand", "ACME")).json.items;
		expect(moves).toMatchObject([{ units: 5, brand_code: "ACME" }]);
		const elsewhere = await run("stock", "show", "N.7", "--brand", "NONE");
		expect(elsewhere.json.error.message).toMatch(/^No lot of batch "N\.7" has that formula and brand\. There are /);
	}, 180_000);
});

describe("Keys that cannot be are not made", () => {
	const mint = (...more: string[]) =>
		run("keys", "mint", "--partner", "P", "--environment", "live", "--brand", "ACME", "--preset", "read_only", ...more);

	it.for([
		["a name with a line break", ["--name", "a\nb"], "no line breaks"],
		["an end that is past", ["--name", "old", "--expires-at", "2020-01-01T00:00:00Z"], "is past"],
	] as const)("%s", async ([, options, message]) => {
		const { code, json } = await mint(...options);
		expect([code, json.error.message]).toEqual([1, expect.stringContaining(message)]);
	});

	it("a whole token in place of a key's name is refused, and not repeated", async () => {
		const { json } = await mint("--name", "web");
		const secret = json.token.split(":")[1];
		for (const command of ["suspend", "rotate", "revoke", "resume"]) {
			const ran = await run("keys", command, json.token);
			expect([ran.code, `${ran.out}${ran.err}`.includes(secret)]).toEqual([1, false]);
		}
	}, 180_000);
});

describe("What there is", () => {
	it("is listed: brands, formulas and SKUs with their recipes, and what is kept back", async () => {
		expect((await run("catalog", "list")).json).toMatchObject({
			brands: [{ code: "ACME", name: "Acme" }, { code: "SANDBOX" }],
			formulas: expect.arrayContaining([expect.objectContaining({ code: "F", skus: 1 })]),
			skus: expect.arrayContaining([
				expect.objectContaining({
					sku: "S",
					kind: "single",
					product: null,
					components: [{ formula: "F", per_kit: 3 }],
				}),
			]),
		});
		expect((await run("demand", "buffer", "set", "--formula", "F", "--units", "6")).code).toBe(0);
		expect((await run("demand", "buffer", "list")).json.items).toEqual([{ formula: "F", brand_code: null, units: 6 }]);
		expect((await run("demand", "buffer", "set", "--formula", "NO", "--units", "6")).code).toBe(1);
		await run("demand", "buffer", "set", "--formula", "F", "--units", "0");
		expect((await run("demand", "buffer", "list")).json.items).toEqual([]);
	}, 180_000);
});

describe("A mistyped folder", () => {
	it("gets no database from a command that looks or changes, and is named", async () => {
		const nowhere = join(folder, "typo");
		await writeFile(join(folder, "empty.json"), "{}");
		const commands = [
			["keys", "list"],
			["verify"],
			["stock", "show"],
			["backup", join(folder, "b.tar")],
			["import", join(folder, "empty.json"), "--dry-run"],
		];
		for (const command of commands) {
			const { code, json } = await holdfast([...command, "--json"], { HOLDFAST_DATA_DIR: nowhere });
			expect([code, json.error.message]).toEqual([1, expect.stringContaining(`There is no database in ${nowhere}`)]);
		}
		expect(await readdir(folder)).not.toContain("typo");
	}, 180_000);
});
