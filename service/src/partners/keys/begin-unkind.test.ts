import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isUnauthenticated } from "../http/caller.ts";
import { createAuthenticate } from "./authenticate.ts";
import { beginUnkind, endUnkind } from "./begin-unkind.ts";
import { createKeyCache } from "./key-cache.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";

const ring = parseKeyRing(newKeyRingEntry());
let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const sandboxKey = () => mint(database.db, ring, { environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
const begin = (keyId: string) => transaction(database.db, (tx) => beginUnkind(tx, keyId, 3_600));
async function isUnkindTo(token: string): Promise<boolean | undefined> {
	const cache = createKeyCache(database.db);
	await cache.refresh();
	const standing = await createAuthenticate(cache, ring)(`Bearer ${token}`, () => "203.0.113.1");
	if (isUnauthenticated(standing)) throw new Error(`the key is ${standing.why}`);
	expect(standing.inForce()).toBe(true);
	return standing.isUnkind?.();
}

describe("An unkind hour", () => {
	it("begins for one sandbox key, and leaves it in force", async () => {
		const [{ token, keyId }, other] = [await sandboxKey(), await sandboxKey()];
		expect(await isUnkindTo(token)).toBe(false);
		expect(await begin(keyId)).toBeGreaterThan(0);
		expect([await isUnkindTo(token), await isUnkindTo(other.token)]).toEqual([true, false]);
	});

	it("ends by the clock of the database", async () => {
		const { token, keyId } = await sandboxKey();
		await begin(keyId);
		await database.db.query("update api_key set unkind_until = now() - interval '1 ms' where key_id = $1", [keyId]);
		expect(await isUnkindTo(token)).toBe(false);
	});

	it("ends before its time when it is ended", async () => {
		const { token, keyId } = await sandboxKey();
		await begin(keyId);
		await transaction(database.db, (tx) => endUnkind(tx, keyId));
		expect(await isUnkindTo(token)).toBe(false);
	});

	it("is never that of a live key", async () => {
		const { token, keyId } = await mint(database.db, ring);
		expect(await begin(keyId)).toBeNull();
		expect(await isUnkindTo(token)).toBe(false);
		await expect(
			database.db.query("update api_key set unkind_until = now() + interval '1 hour' where key_id = $1", [keyId]),
		).rejects.toThrow(/api_key_unkind_hour_is_of_the_sandbox/);
	});
});
