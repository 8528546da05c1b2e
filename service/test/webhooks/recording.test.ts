import { afterAll, beforeAll, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { refuse } from "../../src/ground/lib/refusal.ts";
import { lockEpoch } from "../../src/ground/pg/epoch.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import type { Within } from "../../src/partners/keys/carry-out-write.ts";
import { changeEndpointIn } from "../../src/partners/webhooks/change-endpoint.ts";
import { recover, recoverInParts } from "../../src/partners/webhooks/recover.ts";
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

/** An endpoint of a new partner, with this number of dropped events. */
async function withDropped(count: number) {
	const { db, url } = database;
	const { endpoint, partnerId } = await openPostOffice(db, url, 1_000).endpoint("http://127.0.0.1:9/");
	const { endpointId } = endpoint;
	const owner = { partnerId, environment: "live" } as const;
	await recordEvents(db, owner, count);
	await db.query(
		"update webhook_delivery set status = 'dropped', next_attempt_at = null, settled_at = now() where endpoint_id = $1",
		[endpointId],
	);
	return { endpointId, owner };
}

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
	const { db } = database;
	const { endpointId, owner } = await withDropped(2);
	const stranger = await db.take();
	await stranger.query("begin");
	await stranger.query("select from event where partner_id = $1 for update", [owner.partnerId]);
	const recovered = transaction(db, (tx) => recover(tx, owner, endpointId, new Date(0)));
	await waiting(1);
	await transaction(db, (tx) => tx.query("select from event_epoch for update nowait"));
	await stranger.query("rollback");
	stranger.release();
	expect(await recovered).toEqual({ events: 2 });
	const numbers = (await deliveriesOf(db, endpointId)).map(({ status }) => status);
	expect(numbers).toEqual(["pending", "pending"]);
});

it("A post that was answered 2xx after its endpoint became inactive is delivered: a recovery does not send it again", async () => {
	const { db, url } = database;
	const { endpoint, partnerId } = await openPostOffice(db, url, 1_000).endpoint("http://127.0.0.1:9/");
	const { endpointId } = endpoint;
	const owner = { partnerId, environment: "live" } as const;
	await recordEvents(db, owner, 2);
	const { rows } = await db.query<{ seq: number }>(
		"select seq from webhook_delivery where endpoint_id = $1 order by seq",
		[endpointId],
	);
	const sender = newId();
	await db.query(
		"update webhook_endpoint set sender = $2, sending_until = now() + interval '30 seconds' where endpoint_id = $1",
		[endpointId, sender],
	);
	const set = (status: "active" | "inactive") =>
		transaction(db, (tx) => changeEndpointIn(tx, owner, endpointId, { status }, "partner"));
	await set("inactive");
	const [delivered, failed] = rows.map(
		({ seq }, n): AttemptRow => ({
			seq,
			to: n === 0 ? "delivered" : "pending",
			afterMs: 5_000,
			failures: n,
			endedAgoMs: 0,
			durationMs: 3,
			status: n === 0 ? 200 : 500,
			error: null,
			excerpt: null,
		}),
	) as [AttemptRow, AttemptRow];
	const lease = { endpointId, sender, leaseMs: 30_000 };
	await recordAttempts(db, lease, [delivered, failed], { succeeded: true, failedAgoMs: 0, warn: false });
	expect((await deliveriesOf(db, endpointId)).map(({ status }) => status)).toEqual(["delivered", "dropped"]);
	await set("active");
	expect(await transaction(db, (tx) => recover(tx, owner, endpointId, new Date(0)))).toEqual({ events: 1 });
});

it("A recovery in parts requeues every undelivered event once, and one that is refused is continued by a repeat", async () => {
	const { db } = database;
	const { endpointId, owner } = await withDropped(2_500);
	const recovery = { owner, endpointId, since: new Date(0) };
	let parts = 0;
	const ended = refuse("unauthorized", "the key has ended");
	const twice: Within = (work) => (++parts > 2 ? Promise.resolve(ended) : transaction(db, work));
	expect(await recoverInParts(twice, recovery)).toBe(ended);
	expect(await recoverInParts((work) => transaction(db, work), recovery)).toEqual({ events: 1_500 });
	const { rows } = await db.query(
		`select status, count(*), count(distinct listed_seq) as places from webhook_delivery where endpoint_id = $1 group by 1`,
		[endpointId],
	);
	expect(rows).toEqual([{ status: "pending", count: 2_500, places: 2_500 }]);
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
	for (let n = 0; n < 2; n++) expect(await recordAttempts(db, lease, [failed], news)).not.toBeNull();
	expect(await deliveriesOf(db, endpointId)).toMatchObject([{ failures: 1, attempts: [{ status: 500 }] }]);
	await recordAttempts(db, lease, [{ ...failed, failures: 2 }], news);
	expect(await deliveriesOf(db, endpointId)).toMatchObject([{ failures: 2, attempts: [{}, { status: 500 }] }]);
});
