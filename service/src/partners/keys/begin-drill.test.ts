import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isUnauthenticated } from "../http/caller.ts";
import { createAuthenticate } from "./authenticate.ts";
import { beginDrill, endDrill } from "./begin-drill.ts";
import { createKeyCache } from "./key-cache.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";
import { revokeKey } from "./suspend-key.ts";

const ring = parseKeyRing(newKeyRingEntry());
let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const sandboxKey = () => mint(database.db, ring, { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
const drill = (keyId: string, seconds = 600) => transaction(database.db, (tx) => beginDrill(tx, keyId, seconds));
/** How a token is judged by a node that has just read the keys. */
async function judged(token: string) {
	const cache = createKeyCache(database.db);
	await cache.refresh();
	return { cache, verdict: await createAuthenticate(cache, ring)(`Bearer ${token}`, () => "203.0.113.1") };
}

describe("A drill", () => {
	it("refuses a sandbox key until its end, by the clock of the database", async () => {
		const { token, keyId } = await sandboxKey();
		await drill(keyId);
		expect((await judged(token)).verdict).toMatchObject({ why: "drill", owner: { keyId } });
		await database.db.query("update api_key set drill_until = now() - interval '1 ms' where key_id = $1", [keyId]);
		expect(isUnauthenticated((await judged(token)).verdict)).toBe(false);
	});

	it("ends before its time when it is ended", async () => {
		const { token, keyId } = await sandboxKey();
		await drill(keyId);
		await transaction(database.db, (tx) => endDrill(tx, keyId));
		expect(isUnauthenticated((await judged(token)).verdict)).toBe(false);
	});

	it("leaves a standing for what works meanwhile, which ends with the key", async () => {
		const { token, keyId, pk } = await sandboxKey();
		await drill(keyId);
		const { cache, verdict } = await judged(token);
		const standing = must(isUnauthenticated(verdict) ? verdict.inDrill : undefined, "a standing in the drill");
		expect(standing.inForce()).toBe(true);
		await transaction(database.db, (tx) => revokeKey(tx, pk));
		await cache.refresh();
		expect(standing.inForce()).toBe(false);
	});

	it("never refuses a live key", async () => {
		const { token, keyId } = await mint(database.db, ring);
		expect(await drill(keyId)).toBeNull();
		expect(isUnauthenticated((await judged(token)).verdict)).toBe(false);
		await expect(
			database.db.query("update api_key set drill_until = now() + interval '1 hour' where key_id = $1", [keyId]),
		).rejects.toThrow(/api_key_drill_is_of_the_sandbox/);
	});

	it("says nothing of a key that is revoked meanwhile", async () => {
		const { token, keyId, pk } = await sandboxKey();
		await drill(keyId);
		await transaction(database.db, (tx) => revokeKey(tx, pk));
		expect((await judged(token)).verdict).toMatchObject({ why: expect.stringMatching(/^(revoked|replaced)$/) });
	});
});
