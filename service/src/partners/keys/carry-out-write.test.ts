import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import type { Standing } from "../http/caller.ts";
import { carryOutWrite } from "./carry-out-write.ts";

const STANDING = { inForce: () => true } as Standing;
const BUSY = { refusal: "rate_limited", retryAfter: 1 };

let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

it.each([1, 3])("A key's write that others are in the way of for %i attempts is refused, not failed", async (most) => {
	const stranger = await database.db.take();
	await stranger.query("begin");
	await stranger.query("select from event_epoch for update");
	let attempts = 0;
	const answer = await carryOutWrite(
		database.db,
		STANDING,
		most,
	)(async (tx) => {
		attempts++;
		await tx.query("set local lock_timeout = '20ms'");
		await tx.query("select from event_epoch for update");
		return "done";
	});
	await stranger.query("rollback");
	stranger.release();
	expect([answer, attempts]).toMatchObject([BUSY, most]);
});

it("A key's write for which no connection is free is refused", async () => {
	const db = openDatabase(database.url, { max: 1, connectWithinMs: 100 });
	const taken = await db.take();
	expect(await carryOutWrite(db, STANDING)(async () => "done")).toMatchObject(BUSY);
	taken.release();
	expect(await carryOutWrite(db, STANDING)(async () => "done")).toBe("done");
	await db.close();
});
