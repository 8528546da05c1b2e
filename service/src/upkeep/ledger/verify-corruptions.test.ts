import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CORRUPTIONS, NO_PDFS, restoredWorld, SEAL_DAMAGE } from "../../../test/changed-by-sql.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { PROOF_RULES } from "../../../test/rules-of-verify.ts";
import { proveLedger, type Rule, type VerifyReport, verify } from "./verify.ts";

/** A restored backup with a seal that covers it: each case changes a copy of it. */
let restored: TestDatabase;
beforeAll(async () => {
	const world = await restoredWorld();
	restored = await openTestDatabase(world.name);
	expect((await proveLedger(restored.db, NO_PDFS, {})).sealed).toMatchObject({ seal: 2 });
	await restored.leave();
	await world.close();
});
afterAll(() => restored.close());

describe("holdfast verify, of what somebody changed by SQL", () => {
	const rulesOf = ({ differences }: VerifyReport): Rule[] => differences.map(({ rule }) => rule).toSorted();

	/** The rules that a whole run, and one since the seal, find violated after a statement, in a separate database. */
	const brokenBy = async (statement: string | null): Promise<[whole: Rule[], sinceSeal: Rule[]]> => {
		const database = await openTestDatabase(restored.name);
		try {
			if (statement !== null) await database.db.query(statement);
			const whole = await verify(database.db);
			return [rulesOf(whole), rulesOf(await proveLedger(database.db, NO_PDFS, { sinceSeal: true }))];
		} finally {
			await database.close();
		}
	};

	it("finds nothing wrong before, with digests, restored from a backup", async () => {
		expect(await brokenBy(null)).toEqual([[], []]);
	});

	it.for([...CORRUPTIONS, ...SEAL_DAMAGE])("%s", async ([, how, noticedBy, sinceSeal = noticedBy]) => {
		expect(await brokenBy(how)).toEqual([noticedBy, sinceSeal]);
	});

	it("has a case for every rule that compares what is written twice, or what a digest was made of", () => {
		const named = new Set([...CORRUPTIONS, ...SEAL_DAMAGE].flatMap(([, , noticedBy]) => noticedBy));
		expect(PROOF_RULES.filter((rule) => !named.has(rule))).toEqual([]);
	});
});
