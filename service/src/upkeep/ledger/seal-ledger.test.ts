import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_PDFS, restoredWorld } from "../../../test/changed-by-sql.ts";
import { placedFor, warehouseOf } from "../../../test/contract/order-world.ts";
import { openWorld, type World } from "../../../test/contract/world.ts";
import { openTestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { type Database, openDatabase } from "../../ground/pg/connect.ts";
import { Consume, Release, Reserve, ReverseConsume } from "../../inventory/holds/contract.ts";
import { digestHistory } from "./digest-history.ts";
import { digestNext } from "./digest-sql.ts";
import { proveLedger, type VerifyReport, verify } from "./verify.ts";

const never = new AbortController().signal;

/** Makes everything without a digest two days older. */
async function age(db: Database): Promise<void> {
	await db.query(`alter table unit_move disable trigger unit_move_append_only;
		update unit_move set at = at - interval '2 days' where seq > (select coalesce(max(upto), 0) from history_digest where kind = 'move');
		alter table unit_move enable trigger unit_move_append_only;
		update event set created_at = created_at - interval '2 days' where seq > (select coalesce(max(upto), 0) from history_digest where kind = 'event')`);
}

/** The same, and makes digests of it. */
async function dayPasses(db: Database): Promise<void> {
	await age(db);
	await digestHistory(db, never);
}

const whole = (db: Database): Promise<VerifyReport> => proveLedger(db, NO_PDFS, {});
const since = (db: Database): Promise<VerifyReport> => proveLedger(db, NO_PDFS, { sinceSeal: true });

const lastSeal = async (db: Database): Promise<number> =>
	(await db.query<{ last: number }>("select max(seal) as last from ledger_seal")).rows[0]?.last ?? 0;

describe("night after night", () => {
	let world: World;
	let acme: string;
	beforeAll(async () => {
		world = await openWorld();
		await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
		acme = (await world.key({ brand: "ACME" })).token;
	});
	afterAll(() => world.stop());

	const sold = async (sku: string, sale: string): Promise<void> => {
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
		await world.call(Consume, acme, { reservation_token: data.reservation_token, external_ref: sale });
	};
	const returned = (sale: string) => world.call(ReverseConsume, acme, { external_ref: sale });

	it("A run since the seal finds nothing wrong with what was returned, voided and shipped on later days", async () => {
		const { db } = world;
		const { sku } = await world.stocked([{ brand: "ACME", units: 50 }]);
		expect(await since(db)).toMatchObject({ differences: [], since: null, sealed: { seal: 1 } }); // no seal: everything
		await sold(sku, "first");
		await sold(sku, "second");
		await sold(sku, "third");
		await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref: "open" });
		const warehouse = warehouseOf(world);
		const { order } = await placedFor(world, acme, { qty: 3, lots: [{ brand: "ACME", units: 12 }] });
		const { order: open } = await placedFor(world, acme);
		await warehouse.pick(order);
		const box = await warehouse.ship(order);
		await dayPasses(db);
		const first = await since(db);
		expect(first).toMatchObject({ differences: [], since: { seal: 1, moves_upto: 0, assumed_holds: 0 } });
		expect(first.sealed?.moves_upto).toBeGreaterThan(first.since?.moves_upto ?? 0);

		await returned("first");
		await warehouse.void(order, box.shipmentId);
		await dayPasses(db);
		expect(await since(db)).toMatchObject({
			differences: [],
			since: { seal: 2, assumed_holds: 0 },
			sealed: { seal: 3 },
		});

		// an age later: the sums of holds that ended have been dropped
		await db.query("update hold_seal set last_at = last_at - interval '100 days'");
		const kept = async () => (await db.query("select from hold_seal")).rowCount;
		expect(await kept()).toBe(6);
		expect(await since(db)).toMatchObject({ differences: [], sealed: { seal: 4 } });
		expect(await kept()).toBe(3); // those of the active hold and of the two open orders
		await returned("second");
		await warehouse.ship(order);
		await warehouse.pick(open);
		await dayPasses(db);
		expect(await since(db)).toMatchObject({ differences: [], since: { seal: 4, assumed_holds: 1 } });
		expect(await verify(db)).toMatchObject({ differences: [] });
		expect(await whole(db)).toMatchObject({ differences: [], since: null, sealed: { seal: 6 } });
	});

	it("The sums of an old hold are kept until its last moves are in them, and not missed where it did not move again", async () => {
		const { db } = world;
		const warehouse = warehouseOf(world);
		const { order } = await placedFor(world, acme);
		const sums = async () =>
			(await db.query("select from hold_seal where reservation_token = $1", [order.reservation_token])).rowCount;
		const ageSums = () => db.query("update hold_seal set last_at = last_at - interval '100 days'");
		await dayPasses(db);
		expect(await since(db)).toMatchObject({ differences: [] });
		await ageSums();
		await warehouse.ship(order);
		expect(await since(db)).toMatchObject({ differences: [], since: { assumed_holds: 0 } });
		expect(await sums()).toBe(1); // the order has ended, but its last moves have no digest yet
		await dayPasses(db);
		expect(await since(db)).toMatchObject({ differences: [], since: { assumed_holds: 0 } });
		await ageSums();
		expect(await since(db)).toMatchObject({ differences: [] });
		expect(await sums()).toBe(0);
		await db.query("update orders set modified_seq = take_numbers('shipment_epoch', 1) where order_id = $1", [
			order.order_id,
		]);
		expect(await since(db)).toMatchObject({ differences: [], since: { assumed_holds: 0 } });
	});

	/** Digests of the moves up to the first one of this cause. */
	async function digestUpto(db: Database, cause: string, token: string): Promise<void> {
		await age(db);
		const { rows } = await db.query<{ moves: number; seq: number }>(
			`with last as (select coalesce(max(upto), 0) as upto from history_digest where kind = 'move'),
			      first as (select min(seq) as seq from unit_move where cause = $1 and cause_id = $2)
			 select count(*)::int as moves, max(m.seq) as seq from unit_move m, last, first where m.seq > last.upto and m.seq <= first.seq`,
			[cause, token],
		);
		const { moves, seq } = must(rows[0], "a move");
		expect(await digestNext(db, "move", moves)).toBe(moves);
		expect((await whole(db)).sealed).toMatchObject({ moves_upto: seq });
	}

	it("A seal between two moves of one hold makes no difference, and the run after it compares the other moves", async () => {
		const { db } = world;
		const lots = [10, 20].map((days) => ({ brand: "ACME", units: 1, expires: world.day(days) }));
		const reserved = async () => {
			const { sku, lots: ids } = await world.stocked(lots);
			const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
			return { token: data.reservation_token, lots: ids };
		};
		const { token, lots: ids } = await reserved();
		await world.call(Consume, acme, { reservation_token: token, external_ref: "in two lots" });
		await digestUpto(db, "consume", token);
		const inOtherLot = (from: string | undefined, to: string | undefined) =>
			db.query("update hold_part set fg_id = $3 where reservation_token = $1 and fg_id = $2", [token, from, to]);
		await inOtherLot(ids[1], ids[0]);
		expect((await since(db)).differences.map(({ rule }) => rule)).toContain("lot-parts");
		await db.query(
			"update hold_part set fg_id = $2 where (reservation_token, ordinal) = (select reservation_token, max(ordinal) from hold_part where reservation_token = $1 group by 1)",
			[token, ids[1]],
		);
		expect(await since(db)).toMatchObject({ differences: [], since: { assumed_holds: 0 } });

		const { token: released } = await reserved();
		await digestUpto(db, "reserve", released);
		await world.call(Release, acme, { reservation_token: released });
		await digestUpto(db, "release", released);
		expect(await since(db)).toMatchObject({ differences: [], since: { assumed_holds: 0 } });
	});

	it("A difference leaves no seal, so the next run finds it again", async () => {
		const { db } = world;
		const { sku } = await world.stocked([{ brand: "ACME", units: 50 }]);
		await sold(sku, "damaged");
		await db.query("update hold set consumed_units = 3 where consume_ref = 'damaged'");
		const last = await lastSeal(db);
		for (const _night of [1, 2]) {
			const report = await since(db);
			expect(report).toMatchObject({ ok: false, sealed: null, since: { seal: last } });
			expect(report.differences.map(({ rule }) => rule)).toEqual(["hold-consumed"]);
			await dayPasses(db);
		}
		await db.query("update hold set consumed_units = 2 where consume_ref = 'damaged'");
		expect(await since(db)).toMatchObject({ ok: true, sealed: { seal: last + 1 } });
	});

	it("A whole run names damaged sums once, and makes them again of the moves", async () => {
		const { db } = world;
		await db.query("update lot_seal set units = units + 1 where bucket = 'available'");
		await db.query("delete from lot_seal where bucket = 'held'");
		expect(await since(db)).toMatchObject({ ok: false, sealed: null });
		const last = await lastSeal(db);
		const report = await whole(db);
		expect(report).toMatchObject({ ok: false, sealed: { seal: last + 1 } });
		expect(report.differences.map(({ rule }) => rule)).toEqual(["sealed-sums"]);
		expect(await since(db)).toMatchObject({ differences: [], since: { seal: last + 1 } });
		expect(await verify(db)).toMatchObject({ differences: [] });
	});

	it("Two runs at once that find nothing wrong add each move to the sums once", async () => {
		const { db } = world;
		const { sku } = await world.stocked([{ brand: "ACME", units: 50 }]);
		await sold(sku, "twice");
		await dayPasses(db);
		const last = await lastSeal(db);
		const reports = await Promise.all([since(db), whole(db)]);
		expect(reports.map(({ ok }) => ok)).toEqual([true, true]);
		expect([last + 1, last + 2]).toContain(await lastSeal(db)); // one of them may have begun after the other's seal
		expect(await verify(db)).toMatchObject({ differences: [] });
	});
});

/** Adds consumed holds and shipped orders of long ago, with their moves: copies of the existing ones. */
async function hundredfold(db: Database): Promise<void> {
	await db.query(`
		insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, actor) select now(), fg_id, 'received', 'available', 1000000, 'receive', 'operator:test' from lot;
		update lot set received = received + 1000000, available = available + 1000000;
		update receipt set units_received = units_received + 1000000;
		create temporary table copied as
		  select h.reservation_token as token, gen_random_uuid() as copy, gen_random_uuid() as order_id, gen_random_uuid() as box_id, n
		    from hold h, generate_series(1, ${COPIES}) n where status = 'consumed'
		     or exists (select from orders o where o.reservation_token = h.reservation_token and o.status = 'shipped');
		insert into hold select (h).* from (
		  select jsonb_populate_record(h, jsonb_build_object('reservation_token', copy, 'consume_ref', consume_ref || n)) as h
		    from hold h join copied on token = reservation_token) x;
		insert into hold_part select copy, ordinal, line, formula_id, fg_id, pool_id, units, own_state from hold_part join copied on token = reservation_token;
		insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
		  select at, fg_id, from_bucket, to_bucket, units, cause, copy::text, actor, request_id from unit_move join copied on token::text = cause_id order by seq;
		insert into orders (order_id, key_id, partner_id, environment, ref, reservation_token, pool_id, status, version, customer, service_level,
		                    shipment_ids, placed_at, picked_at, shipped_at, updated_at, modified_seq)
		  select c.order_id, key_id, partner_id, environment, ref || n, copy, pool_id, status, version, customer, service_level, array[box_id],
		         placed_at, picked_at, shipped_at, updated_at, take_numbers('shipment_epoch', 1)
		    from orders o join copied c on token = reservation_token;
		insert into shipment (shipment_id, pool_id, environment, status, order_ids, carrier_code, tracking_number, items, created_at, shipped_at,
		                      modified_at, version, modified_seq, listed_at)
		  select box_id, s.pool_id, s.environment, s.status, array[c.order_id], carrier_code, tracking_number,
		         jsonb_set(items, '{0,order_id}', to_jsonb(c.order_id)), created_at, s.shipped_at, modified_at, s.version,
		         take_numbers('shipment_epoch', 1), listed_at
		    from shipment s join orders o on o.order_id = s.order_ids[1] join copied c on token = reservation_token;
		insert into event (event_id, seq, partner_id, environment, type, order_id, created_at, body)
		  select event_id || n, take_numbers('event_epoch', 1), e.partner_id, e.environment, e.type, c.order_id, created_at,
		         jsonb_set(jsonb_set(body::jsonb, '{data,shipment,shipment_id}', to_jsonb(box_id)), '{data,ref}', to_jsonb(ref || n))::text
		    from event e join orders o using (order_id) join copied c on token = reservation_token;
		insert into webhook_delivery (endpoint_id, seq, event_id, status, next_attempt_at, settled_at, attempts)
		  select endpoint_id, seq, event_id, 'delivered', null, now(), '[{"status": 204}]'
		    from event join orders using (order_id) join copied on copy = reservation_token, webhook_endpoint;
		update lot l set available = l.available - u.units, consumed = l.consumed + u.consumed, shipped = l.shipped + u.shipped
		  from (select fg_id, sum(units) as units, coalesce(sum(units) filter (where status = 'consumed'), 0) as consumed,
		               coalesce(sum(units) filter (where status = 'placed'), 0) as shipped
		          from hold_part join copied on copy = reservation_token join hold using (reservation_token) group by 1) u
		 where u.fg_id = l.fg_id;
		drop table copied`);
}
const COPIES = 100;

describe("the work of a run since the seal", () => {
	/** Rows that a run fetched from each table that grows with history, in a separate database. */
	async function rowsRead(
		original: string,
		past: (db: Database) => Promise<void>,
		look: (db: Database) => Promise<VerifyReport>,
	): Promise<Record<string, number>> {
		const database = await openTestDatabase(original);
		try {
			await past(database.db);
			await dayPasses(database.db);
			expect(await whole(database.db)).toMatchObject({ differences: [], sealed: { seal: 2 } });
			await database.db.query(`insert into hold select (h).* from (select jsonb_populate_record(h, jsonb_build_object(
			    'reservation_token', gen_random_uuid(), 'created_at', now(), 'expires_at', now() + interval '1 hour', 'external_ref', 'today')) as h
			    from hold h where external_ref = 'active') x`);
			await database.db.query("vacuum analyze");
			await database.leave();
			const before = await readsOf(database.url);
			const run = openDatabase(database.url, { max: 1 });
			const report = await look(run);
			await run.close();
			// for today's hold, which has no move
			expect(report.differences.map(({ rule }) => rule)).toContain("hold-reserved");
			const after = await readsOf(database.url);
			return Object.fromEntries(Object.entries(after).map(([table, reads]) => [table, reads - (before[table] ?? 0)]));
		} finally {
			await database.close();
		}
	}
	const GROWING = [
		"unit_move",
		"hold",
		"hold_part",
		"orders",
		"shipment",
		"event",
		"webhook_delivery",
		"history_digest",
	];
	async function readsOf(url: string): Promise<Record<string, number>> {
		const db = openDatabase(url, { max: 1 });
		const { rows } = await db.query<{ relname: string; reads: number }>(
			`select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as reads from pg_stat_user_tables
			  where schemaname = 'public' and relname = any($1) order by 1`,
			[GROWING],
		);
		await db.close();
		return Object.fromEntries(rows.map(({ relname, reads }) => [relname, reads]));
	}

	it("does not grow with the past: a hundred times as many holds, orders and moves are not read", async () => {
		const { name, close } = await restoredWorld();
		const few = await rowsRead(name, async () => undefined, since);
		const many = await rowsRead(name, hundredfold, since);
		const all = await rowsRead(name, hundredfold, whole);
		await close();
		for (const table of GROWING) {
			expect([table, many[table]]).toEqual([table, expect.any(Number)]);
			expect([table, (many[table] ?? 0) - (few[table] ?? 0) < COPIES / 2]).toEqual([table, true]);
			if (table !== "history_digest") expect([table, (all[table] ?? 0) > COPIES]).toEqual([table, true]);
		}
	});
});
