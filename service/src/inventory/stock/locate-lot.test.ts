import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { settleTowns } from "../../../test/model/settle-town.ts";
import { makeTown } from "../../../test/model/town.ts";
import { openStockEngine } from "../../assembly/engine.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { createCatalogCache } from "../catalog/cache.ts";
import { showLot } from "./find-lot.ts";
import { locateLot } from "./locate-lot.ts";

describe("The location of a lot", () => {
	let database: TestDatabase;
	const fgId = newId();
	beforeAll(async () => {
		database = await openTestDatabase();
		const town = makeTown("place");
		await settleTowns(database.db, [town]);
		const engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
		const lot = { formulaId: town.id("F0"), poolId: 2, batchNumber: "b", expiresOn: null, receivedOn: null, units: 3 };
		const origin = { actor: "operator:test", requestId: null };
		expect(isRefusal(await engine.execute({ kind: "receive", origin, newFgId: fgId, ...lot }))).toBe(false);
		await engine.close();
	});
	afterAll(() => database.close());

	it("is said, changed and forgotten, and moves no unit", async () => {
		for (const location of ["A-1", "Halle 2 / Regal ß", null]) {
			expect(await locateLot(database.db, fgId, location)).toEqual({ fgId, location });
			expect(await showLot(database.db, "UTC", fgId)).toMatchObject({ location, available: 3 });
		}
		expect((await database.db.query("select from unit_move")).rowCount).toBe(1);
	});

	it("is refused of a lot that does not exist, and when it is no place", async () => {
		expect(await locateLot(database.db, newId(), "A")).toMatchObject({ refusal: "not_found" });
		for (const location of ["", "  ", "x".repeat(101), "A\u0000", "A\nB", "\ud800"])
			expect(await locateLot(database.db, fgId, location)).toMatchObject({ refusal: "invalid_input" });
	});
});
