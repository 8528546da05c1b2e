import { afterAll, beforeAll, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";
import { rotateKey } from "./rotate-key.ts";
import { resumeKey, revokeKey, suspendKey } from "./suspend-key.ts";

const ring = parseKeyRing(newKeyRingEntry());
let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const stored = async (pk: string) => {
	const { rows } = await database.db.query(
		`select k.suspended, k.version, k.revoke_at, k.expires_at,
		        (select jsonb_agg(to_jsonb(s) order by s.secret_id) from key_secret s where s.key_id = k.key_id) as secrets
		   from api_key k where pk = $1`,
		[pk],
	);
	return rows;
};

const VERBS: Record<string, (tx: Query, pk: string) => Promise<unknown>> = {
	suspend: suspendKey,
	resume: resumeKey,
	rotate: (tx, pk) => rotateKey(tx, ring, pk),
};

it.each(Object.keys(VERBS))("%s refuses a key that is revoked or expired, and changes nothing of it", async (name) => {
	const verb = VERBS[name] as (typeof VERBS)[string];
	const { db } = database;
	const [revoked, expired, ending] = [await mint(db, ring), await mint(db, ring), await mint(db, ring)];
	await transaction(db, (tx) => revokeKey(tx, revoked.pk));
	await db.query("update api_key set expires_at = now() - interval '1 second' where pk = $1", [expired.pk]);
	await transaction(db, (tx) => revokeKey(tx, ending.pk, new Date(Date.now() + 3_600_000)));
	for (const { pk } of [revoked, expired]) {
		const before = await stored(pk);
		const answer = await transaction(db, (tx) => verb(tx, pk));
		expect(answer).toMatchObject({ refusal: "wrong_state", message: expect.stringContaining(pk) });
		expect(await stored(pk)).toEqual(before);
	}
	// a key that ends later is like any other until then
	expect(await transaction(db, (tx) => verb(tx, ending.pk))).toMatchObject({ pk: ending.pk });
});

it("a key that is revoked or expired may be revoked", async () => {
	const { db } = database;
	const expired = await mint(db, ring);
	await db.query("update api_key set expires_at = now() - interval '1 second' where pk = $1", [expired.pk]);
	for (let n = 0; n < 2; n++) {
		expect(await transaction(db, (tx) => revokeKey(tx, expired.pk))).toMatchObject({ pk: expired.pk });
	}
});
