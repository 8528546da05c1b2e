import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIRST_KEY } from "../../../service/src/glossary.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

let house: House;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-export-"));
	house = await openHouse();
	env = { HOLDFAST_ADMIN_SOCKET: house.socket };
	expect((await holdfast(["sandbox", "restock"], env)).code).toBe(0);
	await house.importWorld({
		brands: [{ code: "ACME", name: 'Acme, "the" maker' }],
		formulas: [{ code: "F", name: "F", status: "active" }],
		products: [{ slug: "one", name: "One" }],
		skus: [{ sku: "ONE", name: "One", kind: "single", product: "one", components: [{ formula: "F", per_kit: 2 }] }],
		lots: [{ formula: "F", brand_code: "ACME", batch_number: "B;1", units: 100, expires_on: "2031-01-31" }],
		demand: [{ formula: "F", brand_code: null, units: 3, reference: "PO-1" }],
		buffers: [{ formula: "F", brand_code: "ACME", units: 5 }],
		partners: [{ name: "Shop" }],
		keys: [
			{ name: "web", partner: "Shop", environment: "live", brand_code: "ACME", preset: "self_ship", shared_pool: true },
		],
	});
});
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true });
});

describe("holdfast export", () => {
	it("writes every section, without what the sandbox makes itself, and an import of it changes nothing", async () => {
		const all = join(folder, "all");
		const { code, json } = await holdfast(["export", "--all", all, "--json"], env);
		expect([code, json.files.length]).toEqual([0, 9]);
		for (const { file } of json.files) expect(await readFile(file, "utf8"), file).not.toMatch(/sbx-/i);
		const imported = await holdfast(["import", all, "--json"], env);
		expect(imported.code).toBe(0);
		const { created, changed, unchanged } = imported.json;
		expect(
			Object.values(created)
				.concat(Object.values(changed))
				.filter((n) => n !== 0),
		).toEqual([]);
		expect(unchanged).toMatchObject({ brands: 1, formulas: 1, products: 1, skus: 1, lots: 1, demand: 1, buffers: 1 });
	});

	it("leaves out the key of the first start, and its partner while that has no other key", async () => {
		const sandbox = { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false } as const;
		await house.mint({ ...FIRST_KEY, ...sandbox });
		const exported = async (name: string) => {
			const to = join(folder, name);
			expect((await holdfast(["export", "--all", to], env)).code).toBe(0);
			const { keys } = JSON.parse(await readFile(join(to, "world.json"), "utf8"));
			const partners = (await readFile(join(to, "partners.csv"), "utf8")).trim().split(/\r?\n/);
			return [partners, keys.map((key: { name: string }) => key.name)];
		};
		expect(await exported("first")).toEqual([["name", "Shop"], ["web"]]);
		await house.mint({ partner: FIRST_KEY.partner, name: "mine", ...sandbox });
		expect(await exported("mine")).toEqual([
			["name", "Sandbox partner", "Shop"],
			["mine", "web"],
		]);
	});

	it("writes one section, and no file over another", async () => {
		const one = join(folder, "one");
		expect((await holdfast(["export", "lots", one], env)).code).toBe(0);
		expect(await readFile(join(one, "lots.csv"), "utf8")).toContain('F,ACME,"B;1",2031-01-31');
		const again = await holdfast(["export", "lots", one], env);
		expect(again).toMatchObject({ code: 1, err: expect.stringContaining("already exists") });
	});
});
