import { afterAll, beforeAll, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { lockEpoch } from "../../src/ground/pg/epoch.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { changeEndpointIn } from "../../src/partners/webhooks/change-endpoint.ts";
import { recover } from "../../src/partners/webhooks/recover.ts";
import { type AttemptRow, recordAttempts } from "../../src/partners/webhooks/send-sql.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { until } from "../processes/child.ts";
import { recordEvents } from "./events.ts";
import { deliveriesOf, openPostOffice } from "./post-office.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

/** Resolves when this number of connections to the database wait for a lock. */
const waiting = (count: number): Promise<unknown> =>
	until(`${count} to wait`, async () => {
		const { rows } = await database.db.query<{ n: number }>(
			"select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
		);
		return rows[0]?.n === count;
	});

it("An event that waits for its number while its endpoint becomes active is found by the recover that follows", async () => {
	const { db, url } = database;
	const { endpoint, partnerId } = await openPostOffice(db, url, 1_000).endpoint("http://127.0.0.1:9/");
	const owner = { partnerId, environment: "live" } as const;
	const set = (status: "active" | "inactive") =>
		transaction(db, (tx) => changeEndpointIn(tx, owner, endpoint.endpointId, { status }, "partner"));
	await set("inactive");
	const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
	const holder = transaction(db, async (tx) => {
		await lockEpoch(tx, "event_epoch");
		await isReleased;
	});
	const recorded = recordEvents(db, owner, 1);
	await waiting(1);
	await set("active");
	const recovered = transaction(db, (tx) => recover(tx, owner, endpoint.endpointId, new Date(0)));
	await Promise.race([waiting(2), recovered]);
	release();
	await Promise.all([holder, recorded, recovered]);
	expect(await deliveriesOf(db, endpoint.endpointId)).toMatchObject([{ status: "pending" }]);
});

it("A recover that waits for an event keeps no numbers from the orders of others", async () => {
	const { db, url } = database;
	const { endpoint, partnerId } = await openPostOffice(db, url, 1_000).endpoint("http://127.0.0.1:9/");
	const owner = { partnerId, environment: "live" } as const;
	await recordEvents(db, owner, 2);
	await db.query(
		"update webhook_delivery set status = 'dropped', next_attempt_at = null, settled_at = now() where endpoint_id = $1",
		[endpoint.endpointId],
	);
	const stranger = await db.take();
	await stranger.query("begin");
	await stranger.query("select from event where partner_id = $1 for update", [partnerId]);
	const recovered = transaction(db, (tx) => recover(tx, owner, endpoint.endpointId, new Date(0)));
	await waiting(1);
	await transaction(db, (tx) => tx.query("select from event_epoch for update nowait"));
	await stranger.query("rollback");
	stranger.release();
	expect(await recovered).toEqual({ events: 2 });
	const numbers = (await deliveriesOf(db, endpoint.endpointId)).map(({ status }) => status);
	expect(numbers).toEqual(["pending", "pending"]);
});

it("An attempt that is recorded again, because the answer to its record was lost, is one attempt", async () => {
	const { db, url } = database;
	const { endpoint, partnerId } = await openPostOffice(db, url, 1_000).endpoint("http://127.0.0.1:9/");
	const { endpointId } = endpoint;
	await recordEvents(db, { partnerId, environment: "live" }, 1);
	const { rows } = await db.query<{ seq: number }>("select seq from webhook_delivery where endpoint_id = $1", [
		endpointId,
	]);
	const sender = newId();
	await db.query(
		"update webhook_endpoint set sender = $2, sending_until = now() + interval '1 hour' where endpoint_id = $1",
		[endpointId, sender],
	);
	const failed: AttemptRow = {
		seq: must(rows[0], "the delivery").seq,
		to: "pending",
		afterMs: 5_000,
		failures: 1,
		endedAgoMs: 0,
		durationMs: 3,
		status: 500,
		error: null,
		excerpt: null,
	};
	const lease = { endpointId, sender, leaseMs: 60_000 };
	const news = { succeeded: false, failedAgoMs: 0, warn: false };
	for (let n = 0; n < 2; n++) expect(await recordAttempts(db, lease, [failed], news)).toBe(true);
	expect(await deliveriesOf(db, endpointId)).toMatchObject([{ failures: 1, attempts: [{ status: 500 }] }]);
	await recordAttempts(db, lease, [{ ...failed, failures: 2 }], news);
	expect(await deliveriesOf(db, endpointId)).toMatchObject([{ failures: 2, attempts: [{}, { status: 500 }] }]);
});
