import { afterAll, beforeAll, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isUnauthenticated } from "../http/caller.ts";
import { createAuthenticate } from "./authenticate.ts";
import { createKeyCache } from "./key-cache.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";
import { rotateKey } from "./rotate-key.ts";
import { revokeKey } from "./suspend-key.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

it("a key revoked at once, and a secret rotated out at once, stay refused when the clock of the server is set back", async () => {
	const { db } = database;
	const ring = parseKeyRing(newKeyRingEntry());
	const [revoked, rotated] = [await mint(db, ring), await mint(db, ring)];
	await transaction(db, (tx) => revokeKey(tx, revoked.pk));
	const renewed = await transaction(db, (tx) => rotateKey(tx, ring, rotated.pk, 0));
	if (isRefusal(renewed)) throw new Error(renewed.message);
	// by a clock that was set back an hour, everything that ended now ends in an hour
	await db.query("update api_key set revoke_at = revoke_at + interval '1 hour' where pk = $1", [revoked.pk]);
	await db.query("update key_secret set expires_at = expires_at + interval '1 hour'");
	expect(await transaction(db, (tx) => rotateKey(tx, ring, revoked.pk))).toMatchObject({ refusal: "wrong_state" });
	const cache = createKeyCache(db);
	await cache.refresh();
	const authenticate = createAuthenticate(cache, ring);
	const letIn = async (token: string): Promise<string | null> => {
		const judged = await authenticate(`Bearer ${token}`);
		return isUnauthenticated(judged) ? null : judged.caller.pk;
	};
	expect(await letIn(must(revoked.token, "the token of a new key"))).toBeNull();
	expect(await letIn(must(rotated.token, "the token of a new key"))).toBeNull();
	expect(await letIn(renewed.token)).toBe(rotated.pk);
});
