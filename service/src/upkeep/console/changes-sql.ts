import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { HOLD_CAUSES } from "../ledger/hold-causes.ts";
import { type LiveChange, MOST_NAMED, type Position } from "./change.ts";

/*
 * Changes after a position. The lists of boxes and orders, and the events, are numbered in the order of the commits.
 * The ledger's sequence is not: a transaction may commit after another one that took a higher number.
 */

/** The highest number of the ledger's sequence that was taken. */
export async function selectLastNumber(db: Query): Promise<number> {
	const { rows } = await db.query<{ last: number }>("select last_value as last from unit_move_seq_seq");
	return must(rows[0], "the sequence").last;
}

/** The state just after a number of the ledger's sequence was read. */
export interface Marks {
	/** Transactions that may have taken numbers of that sequence and have not ended. */
	readonly open: readonly string[];
	/** The last numbers of the lists of boxes and of events. */
	readonly boxes: number;
	readonly events: number;
}

/**
 * Before a transaction takes a number of the ledger's sequence, it has locked one of the tables of that sequence, as
 * every writer does, and keeps that lock until its end is visible to every new snapshot. So a number that was taken
 * before this statement belongs to one of the returned transactions, or is visible, or was rolled back.
 */
export async function selectMarks(db: Query): Promise<Marks> {
	const { rows } = await db.query<Marks>(
		`select array(select distinct virtualtransaction from pg_locks
		               where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
		                 and database = (select oid from pg_database where datname = current_database())
		                 and relation in ('unit_move'::regclass, 'live_change'::regclass)) as open,
		        (select version from shipment_epoch) as boxes, (select version from event_epoch) as events`,
	);
	return must(rows[0], "the marks");
}

/** Objects whose changes have numbers above `after` in the ledger's sequence, each with its last number. */
export const selectLedgerChanges = (db: Query, after: number) =>
	db.query<LiveChange>(
		`select topic, id, max(seq) as version
		   from (select 'lots' as topic, fg_id::text as id, seq from unit_move where seq > $1
		         union all select 'holds', cause_id, seq from unit_move where seq > $1 and cause = any($2::text[])
		         union all select topic, id, seq from live_change where seq > $1) c
		  group by topic, id`,
		[after, [...HOLD_CAUSES, "repick"]],
	);

/**
 * Boxes and orders whose last change is after position `after` and not after `upTo`. The index of orders' numbers
 * starts with the key, so the query looks into it once per key. An index on the numbers alone would make every write of
 * an order slower.
 */
export const selectBoxChanges = (db: Query, after: Pick<Position, "boxes">, upTo: Pick<Position, "boxes">) =>
	db.query<LiveChange>(
		`(select 'boxes' as topic, shipment_id::text as id, version from shipment
		   where modified_seq > $1 and modified_seq <= $2 order by modified_seq limit $3)
		 union all
		 (select 'orders', o.order_id::text, o.version
		    from api_key k
		    cross join lateral (select order_id, version from orders
		                         where key_id = k.key_id and modified_seq > $1 and modified_seq <= $2
		                         order by modified_seq limit $3) o
		   limit $3)`,
		[after.boxes, upTo.boxes, MOST_NAMED + 1],
	);

/** Deliveries of new events that have not been settled; their later changes have numbers of the ledger's sequence. */
export const selectNewDeliveries = (db: Query, after: Pick<Position, "events">, upTo: Pick<Position, "events">) =>
	db.query<LiveChange>(
		`select 'deliveries' as topic, delivery_id::text as id, 0 as version from webhook_delivery
		  where status = 'pending' and seq > $1 and seq <= $2 order by seq limit $3`,
		[after.events, upTo.events, MOST_NAMED + 1],
	);

/** The log of requests, with the time of its last row, in epoch milliseconds, as its version; none if it is empty. */
export const selectTrafficChange = (db: Query) =>
	db.query<LiveChange>(
		`select 'traffic' as topic, 'requests' as id, (extract(epoch from last_at) * 1000)::bigint as version
		   from request_log where last_at > now() - interval '1 day' order by last_at desc limit 1`,
	);

/** Deletes notes of changes so old that no position before them can still be read one by one. */
export const deleteOldChanges = (db: Query, kept: number) =>
	db.query("delete from live_change where seq < (select last_value from unit_move_seq_seq) - $1::bigint", [kept]);
