import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CORRUPTIONS, NO_PDFS, restoredWorld, SEAL_DAMAGE } from "../../../test/changed-by-sql.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { proveLedger, type Rule, type VerifyReport } from "./verify.ts";

/** A world whose seal was left before anything happened in it, and the same with a seal that covers everything. */
let young: TestDatabase;
let sealed: TestDatabase;
beforeAll(async () => {
	young = await restoredWorld();
	sealed = await openTestDatabase(young.name);
	const { sealed: left } = await proveLedger(sealed.db, NO_PDFS, {});
	expect(left).toMatchObject({ seal: 2 });
	await sealed.leave();
});
afterAll(async () => {
	await young.close();
	await sealed.close();
});

const rulesOf = ({ differences }: VerifyReport): Rule[] => differences.map(({ rule }) => rule).toSorted();

/** What runs find after a statement, in a copy of a world. */
async function after<T>(
	world: TestDatabase,
	statement: string,
	look: (db: TestDatabase["db"]) => Promise<T>,
): Promise<T> {
	const database = await openTestDatabase(world.name);
	try {
		if (statement !== "") await database.db.query(statement);
		return await look(database.db);
	} finally {
		await database.close();
	}
}
const since = (db: TestDatabase["db"]): Promise<VerifyReport> => proveLedger(db, NO_PDFS, { sinceSeal: true });

describe("holdfast verify --since-seal, of what somebody changed by SQL", () => {
	it("finds nothing wrong before, whether the day or the past has everything", async () => {
		expect(rulesOf(await after(young, "", since))).toEqual([]);
		expect(rulesOf(await after(sealed, "", since))).toEqual([]);
	});

	it.for(CORRUPTIONS)("within the day, by the rules of a whole run: %s", async ([, how, noticedBy]) => {
		const onlyWhole: Rule[] = ["receipt-day"];
		expect(rulesOf(await after(young, how, since))).toEqual(noticedBy.filter((rule) => !onlyWhole.includes(rule)));
	});

	it.for([...CORRUPTIONS, ...SEAL_DAMAGE])(
		"of the time that a seal covers: %s",
		async ([, how, noticedBy, sinceSeal = noticedBy]) => {
			expect(rulesOf(await after(sealed, how, since))).toEqual(sinceSeal);
		},
	);
});
