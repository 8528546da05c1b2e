import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { createCatalogCache } from "./cache.ts";
import type { Catalog } from "./catalog.ts";
import { type CatalogChange, changeCatalog } from "./change-catalog.ts";
import type { FormulaEntry, SkuEntry } from "./entries.ts";
import { putBrands } from "./put-brands.ts";
import { putFormulas } from "./put-formulas.ts";
import { putProducts } from "./put-products.ts";
import { putSkus } from "./put-skus.ts";

const FORMULAS: FormulaEntry[] = [
	{ code: "A", name: "A", status: "active" },
	{ code: "B", name: "B", status: "active" },
];
const sku = (code: string, ...formulas: string[]): SkuEntry => ({
	sku: code,
	name: code,
	product: "page",
	kind: formulas.length === 1 ? "single" : "kit",
	vialSize: null,
	components: formulas.map((formula) => ({
		formula,
		perKit: 1,
	})),
	testBehaviour: null,
});

describe("A change of the catalogue", () => {
	let database: TestDatabase;
	const change = <T>(work: (change: CatalogChange) => Promise<T>) =>
		transaction(database.db, (tx) => changeCatalog(tx, work));
	const fill = () =>
		change(async (under) => {
			await putBrands(under, [{ code: "ACME", name: "Acme" }]);
			await putFormulas(under, FORMULAS);
			await putProducts(under, [{ slug: "page", name: "Page" }]);
			await putSkus(under, [sku("ONE", "A"), sku("KIT", "A", "B")]);
		});
	const epoch = async () =>
		must((await database.db.query<{ version: number }>("select version from catalog_epoch")).rows[0], "epoch").version;

	beforeEach(async () => {
		database = await openTestDatabase();
	});
	afterEach(() => database.close());

	it("that says what is there already writes nothing: no node reads the catalogue again", async () => {
		await fill();
		const before = await epoch();
		await fill();
		expect(await epoch()).toBe(before);
	});

	it("reaches a node that knows the catalogue before: what changed, and every SKU made of a changed formula", async () => {
		await fill();
		const cache = createCatalogCache();
		const before = await cache.read(database.db);
		await change(async (under) => {
			await putFormulas(under, [{ code: "B", name: "B", status: "archived" }]);
			await putBrands(under, [{ code: "NEW", name: "New" }]);
			await putSkus(under, [sku("TWO", "B")]);
		});
		const after = await cache.read(database.db);
		expect([...after.poolsByBrand.keys()].toSorted()).toEqual(["ACME", "NEW", "SANDBOX"]);
		const statuses = (code: string) => after.skus.get(code)?.components.map(({ formula }) => formula.status);
		expect([statuses("ONE"), statuses("KIT"), statuses("TWO")]).toEqual([
			["active"],
			["active", "archived"],
			["archived"],
		]);
		expect(after.skus.get("ONE")).toBe(before.skus.get("ONE"));
		const versions = [...after.skus.values()].map(({ version }) => version);
		expect(new Set(versions).size).toBe(versions.length);
		expect(Math.max(...versions)).toBeLessThanOrEqual(await epoch());
	});

	it("gives formulas that a recipe comes to or leaves a number above the last, and no SKU that stayed as it was", async () => {
		await fill();
		const cache = createCatalogCache();
		const before = await cache.read(database.db);
		const versionOf = (catalog: Catalog, code: string) =>
			must(
				[...catalog.formulas.values()].find((formula) => formula.code === code),
				code,
			).version;
		await change((under) => putSkus(under, [sku("ONE", "B")]));
		const moved = await cache.read(database.db);
		for (const code of ["A", "B"]) expect(versionOf(moved, code)).toBeGreaterThan(before.version);
		expect(versionOf(moved, "A")).not.toBe(versionOf(moved, "B"));
		expect(moved.skus.get("KIT")?.version).toBe(before.skus.get("KIT")?.version);
		await change((under) => putSkus(under, [{ ...sku("ONE", "B"), name: "renamed" }]));
		const renamed = await cache.read(database.db);
		for (const code of ["A", "B"]) expect(versionOf(renamed, code)).toBe(versionOf(moved, code));
	});

	it("replaces a recipe, and fails on a formula that does not exist", async () => {
		await fill();
		await change((under) => putSkus(under, [sku("KIT", "B", "A")]));
		const { skus } = await createCatalogCache().read(database.db);
		expect(skus.get("KIT")?.components.map(({ formula }) => formula.code)).toEqual(["B", "A"]);
		await expect(change((under) => putSkus(under, [sku("KIT", "A", "NOPE")]))).rejects.toThrow(/formula_id/);
	});
});
