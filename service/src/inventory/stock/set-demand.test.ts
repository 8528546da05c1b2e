import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { changeCatalog } from "../catalog/change-catalog.ts";
import { putBrands } from "../catalog/put-brands.ts";
import { putFormulas } from "../catalog/put-formulas.ts";
import { setBuffers } from "./set-buffers.ts";
import { clearDemand, type Demand, setDemand } from "./set-demand.ts";

let database: TestDatabase;
const demand = (reference: string, units: number, rest: Partial<Demand> = {}): Demand => ({
	formula: "F",
	brandCode: "ACME",
	reference,
	units,
	...rest,
});
const set = (...entries: Demand[]) => transaction(database.db, (tx) => setDemand(tx, entries));
const stored = async () =>
	(await database.db.query("select brand_code, reference, units from demand join pool using (pool_id) order by 1, 2"))
		.rows;

beforeAll(async () => {
	database = await openTestDatabase();
	await transaction(database.db, (tx) =>
		changeCatalog(tx, async (change) => {
			await putBrands(change, [{ code: "ACME", name: "Acme" }]);
			await putFormulas(change, [{ code: "F", name: "F", status: "active" }]);
		}),
	);
});
afterAll(() => database.close());

describe("Demand is set by formula, brand and reference", () => {
	it("made, replaced, left as it is, and taken away by 0 units, each counted", async () => {
		expect(await set(demand("a", 5), demand("b", 6), demand("b", 7, { brandCode: null }), demand("none", 0))).toEqual({
			created: 3,
			changed: 0,
			unchanged: 1,
		});
		expect(await set(demand("a", 0), demand("b", 6), demand("b", 8, { brandCode: null }))).toEqual({
			created: 0,
			changed: 2,
			unchanged: 1,
		});
		expect(await stored()).toEqual([
			{ brand_code: "ACME", reference: "b", units: 6 },
			{ brand_code: null, reference: "b", units: 8 },
		]);
		expect(await clearDemand(database.db, "b")).toBe(2);
		expect(await clearDemand(database.db, "b")).toBe(0);
	});

	it("refused as a whole when one formula or brand does not exist", async () => {
		const refusal = { refusal: "not_found", message: expect.stringMatching(/^There is no formula "G"/) };
		expect(await set(demand("x", 1), demand("x", 1, { formula: "G" }))).toEqual(refusal);
		expect(await set(demand("x", 1, { brandCode: "NOPE" }))).toMatchObject({
			message: expect.stringMatching(/no brand "NOPE"/),
		});
		expect(await stored()).toEqual([]);
	});

	it("and a safety buffer by formula and brand", async () => {
		const put = (units: number) =>
			transaction(database.db, (tx) => setBuffers(tx, [{ formula: "F", brandCode: null, units }]));
		expect(await put(3)).toEqual({ created: 1, changed: 0, unchanged: 0 });
		expect(await put(3)).toEqual({ created: 0, changed: 0, unchanged: 1 });
		expect(await put(0)).toEqual({ created: 0, changed: 1, unchanged: 0 });
		expect((await database.db.query("select from safety_buffer")).rowCount).toBe(0);
	});
});
