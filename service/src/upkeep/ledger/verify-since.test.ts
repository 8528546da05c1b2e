import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CORRUPTIONS, NO_PDFS, restoredWorld } from "../../../test/changed-by-sql.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { proveLedger, type Rule } from "./verify.ts";

/** A world whose seal was left before anything happened in it; verify-corruptions.test.ts has one that is sealed. */
let young: TestDatabase;
beforeAll(async () => {
	young = await restoredWorld();
});
afterAll(() => young.close());

/** The rules that a run since the seal finds violated after a statement, in a copy of the world. */
async function brokenBy(statement: string | null): Promise<Rule[]> {
	const database = await openTestDatabase(young.name);
	try {
		if (statement !== null) await database.db.query(statement);
		const { differences } = await proveLedger(database.db, NO_PDFS, { sinceSeal: true });
		return differences.map(({ rule }) => rule).toSorted();
	} finally {
		await database.close();
	}
}

describe("holdfast verify --since-seal, of what somebody changed by SQL within the day", () => {
	it("finds nothing wrong before", async () => {
		expect(await brokenBy(null)).toEqual([]);
	});

	it.for(CORRUPTIONS)("by the rules of a whole run: %s", async ([, how, noticedBy]) => {
		const onlyWhole: Rule[] = ["receipt-day"];
		expect(await brokenBy(how)).toEqual(noticedBy.filter((rule) => !onlyWhole.includes(rule)));
	});
});
