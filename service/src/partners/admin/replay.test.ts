import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { newKeyRingEntry, parseKeyRing } from "../keys/key-ring.ts";
import { createSealer } from "../keys/ring-sealer.ts";
import { type Claim, digestOfRequest, findFirst, findKept, keepFirst } from "./replay.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const sealerOf = (...entries: string[]) => createSealer(parseKeyRing(entries.join(",")), "replies of a test");
const claimOf = (key: string, body: object): Claim => ({
	actor: "operator:anna",
	key,
	digest: digestOfRequest("change_me", {}, body),
});
const REPLY = { status: 200, data: { name: "anna" } } as const;

it("a repeat is recognised under another current entry of the key ring, and refused once the first one's is gone", async () => {
	const { db } = database;
	const [older, newer] = [newKeyRingEntry(), newKeyRingEntry()];
	const claim = claimOf("rotated", { password: "guess me" });
	await transaction(db, async (tx) => {
		expect(await findFirst(tx, sealerOf(older), claim)).toBe(null);
		await keepFirst(tx, sealerOf(older), claim, REPLY);
	});
	for (const sealer of [sealerOf(older), sealerOf(newer, older)]) {
		expect(await findKept(db, sealer, claim)).toMatchObject(REPLY);
		const other = await findKept(db, sealer, claimOf("rotated", { password: "guess that" }));
		expect(other).toMatchObject({
			refusal: "idempotency_conflict",
			message: expect.stringContaining("another request"),
		});
	}
	expect(await findKept(db, sealerOf(newer), claim)).toMatchObject({
		refusal: "idempotency_conflict",
		message: expect.stringContaining("the key ring has changed"),
	});
});

it("equal requests of two callers, or under two keys, have digests that cannot be compared", async () => {
	const { db } = database;
	const sealer = sealerOf(newKeyRingEntry());
	const claims = [claimOf("one", {}), claimOf("two", {}), { ...claimOf("one", {}), actor: "operator:bert" }];
	await transaction(db, async (tx) => {
		for (const claim of claims) expect(await findFirst(tx, sealer, claim)).toBe(null);
	});
	const { rows } = await db.query<{ digest: Buffer }>("select digest from operator_reply where key <> 'rotated'");
	const digests = [...rows.map(({ digest }) => digest), digestOfRequest("change_me", {}, {})];
	expect(new Set(digests.map((digest) => digest.toString("hex"))).size).toBe(4);
});
