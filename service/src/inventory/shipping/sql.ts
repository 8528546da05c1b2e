import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { TO_PICK } from "../orders/box-sql.ts";
import type { Order } from "../orders/order.ts";
import type { TypedParcel } from "./check-parcels.ts";
import type { BoxStage } from "./label-platform.ts";
import type { PickPart } from "./pick-list.ts";
import type { PushState } from "./push-state.ts";

const PUSH = "order_id, generation, state, platform_id";
export type PushRow = readonly [orderId: string, generation: number, state: PushState, platformId: string | null];

/**
 * Marks orders to be pushed. Orders that already wait for a push, or that the platform has, are unchanged. Orders whose
 * box it cancelled or rejected are pushed again, under the next generation if it had created a box.
 */
export const wantPushes = prepared(
	"want_label_pushes",
	`insert into label_push as p (order_id, state) select unnest($1::uuid[]), 'wanted'
	 on conflict (order_id) do update set state = 'wanted', generation = p.generation + (p.platform_id is not null)::int,
	   platform_id = null, detail = null, stopped_at = null, wanted_at = now(), changed_at = now()
	 where p.state in ('address_refused', 'refused', 'withdrawn')`,
);

/** Marks as taken the orders combined into another order's box, which the platform has. */
export const takePushesWith = prepared(
	"take_label_pushes_with",
	`insert into label_push as p (order_id, state, platform_id) select unnest($1::uuid[]), 'taken', $2
	 on conflict (order_id) do update set state = 'taken', platform_id = $2, detail = null, changed_at = now()`,
);

/**
 * Orders with a waiting box and no pending push for at least $1 minutes: they were placed before there was a platform,
 * or were withdrawn for a cancellation that then did not happen.
 */
export const selectForgotten = prepared<readonly [string]>(
	"select_forgotten_pushes",
	`select distinct s.order_ids[1] from orders o cross join lateral unnest(o.shipment_ids) x(shipment_id)
	   join shipment s on s.shipment_id = x.shipment_id
	   left join label_push p on p.order_id = s.order_ids[1]
	 where o.is_open and o.environment = 'live' and s.status = 'awaiting_shipment' and s.label_created_at is null
	   and s.modified_at < now() - $1 * interval '1 minute'
	   and (p.order_id is null or (p.state = 'withdrawn' and p.changed_at < now() - $1 * interval '1 minute'))
	 order by 1 limit $2`,
);

export const selectPushes = prepared<PushRow>(
	"select_label_pushes",
	`select ${PUSH} from label_push where order_id = any($1::uuid[])`,
);

/** Begins a push and returns its previous state; no row if there is nothing to push. */
export const beginPush = prepared<PushRow>(
	"begin_label_push",
	`with was as (select ${PUSH} from label_push where order_id = $1 and state in ('wanted', 'under_way') for update)
	 update label_push p set state = 'under_way', changed_at = now() from was where p.order_id = was.order_id
	 returning was.order_id, was.generation, was.state, was.platform_id`,
);

/** Ends a push: state, box and the platform's message. */
export const endPush = prepared<readonly [string]>(
	"end_label_push",
	`update label_push set state = $2, platform_id = $3, detail = $4, changed_at = now()
	 where order_id = any($1::uuid[]) and state in ('wanted', 'under_way') returning order_id`,
);

/** Withdraws orders whose push has not begun. */
export const withdrawWanted = prepared<readonly [string]>(
	"withdraw_label_pushes",
	`update label_push set state = 'withdrawn', changed_at = now() where order_id = any($1::uuid[]) and state = 'wanted' returning order_id`,
);

/** Withdraws an order whose box the platform has cancelled. */
export const withdrawTaken = prepared(
	"withdraw_taken_labels",
	`update label_push set state = 'withdrawn', changed_at = now() where order_id = $1 and generation = $2 and state = 'taken'`,
);

/** The order's push, and when the platform was last asked to stop its box; null: it was not, or the stop has ended. */
export const selectStop = prepared<readonly [...PushRow, stoppedAt: string | null]>(
	"select_stop",
	`select ${PUSH}, stopped_at::text from label_push where order_id = $1`,
);

/** Records the request to stop a box, and its time. */
export const noteStop = prepared<readonly [stoppedAt: string]>(
	"note_stop",
	`update label_push set stopped_at = clock_timestamp(), detail = null, changed_at = now() where order_id = $1
	 returning stopped_at::text`,
);

/** Ends the stop requested at $2, with a message ($3) if it came too late, unless another was recorded since. */
export const endStop = prepared(
	"end_stop",
	`update label_push set stopped_at = null, detail = $3, changed_at = now() where order_id = $1 and stopped_at = $2::timestamptz`,
);

/** The UTC date $1 days after the database's current day. */
export const selectDayAhead = prepared<readonly [string]>(
	"select_day_ahead",
	"select ((now() at time zone 'UTC')::date + $1::int)::text",
);

/** Records that orders are now in another order's box. */
export const moveIntoBox = prepared(
	"move_into_box",
	"update label_push set platform_id = $2, changed_at = now() where order_id = any($1::uuid[]) and state = 'taken'",
);

/** Creates the row of an unknown box, to be read after $2 milliseconds. */
export const insertBox = prepared(
	"insert_platform_box",
	`insert into platform_box (platform_id, modified_at, stage, digest, look_at)
	 values ($1, '-infinity', 'awaiting', '', now() + $2 * interval '1 millisecond') on conflict do nothing`,
);

/** modified_at in milliseconds since 1970 (0 if unknown), stage, digest. */
export const lockBox = prepared<readonly [number, BoxStage, string]>(
	"lock_platform_box",
	`select coalesce(floor(extract(epoch from nullif(modified_at, '-infinity')) * 1000), 0)::float8, stage, digest
	 from platform_box where platform_id = $1 for update`,
);

export const saveBox = prepared(
	"save_platform_box",
	`update platform_box set modified_at = $2, stage = $3, digest = $4, refusal = $5, looked_at = now(),
	   look_at = now() + $6::float8 * interval '1 millisecond'
	 where platform_id = $1`,
);

/** Records a read that found no change. A newer modification time is stored, so that the sweep skips the box. */
export const noteLook = prepared(
	"note_platform_look",
	`update platform_box set modified_at = greatest(modified_at, $2), looked_at = now(), look_at = now() + $3::float8 * interval '1 millisecond'
	 where platform_id = $1`,
);

/** Stops reading a box that the platform no longer has because it was combined on the platform. */
export const forgetBox = prepared(
	"forget_platform_box",
	"update platform_box set look_at = null, looked_at = now() where platform_id = $1",
);

/** Takes boxes that are due to be read. They are due again in 15 minutes, in case the read is lost. */
export const takeDueBoxes = prepared<readonly [string]>(
	"take_due_boxes",
	`update platform_box set look_at = now() + interval '15 minutes' where platform_id in (
	   select platform_id from platform_box where look_at <= now() order by look_at limit $1 for update skip locked)
	 returning platform_id`,
);

/**
 * Those of these boxes whose modification has not been applied yet. Finished boxes ($3) that were never seen are
 * skipped unless they contain an order of ours: $4 and $5 pair boxes with orders.
 */
export const selectModified = prepared<readonly [string]>(
	"select_modified_boxes",
	`select distinct h.id from unnest($1::text[], $2::timestamptz[], $3::boolean[]) h(id, modified_at, is_over)
	 left join platform_box b on b.platform_id = h.id
	 where (b.platform_id is null or b.digest = '' or b.modified_at < h.modified_at)
	   and (b.platform_id is not null or not h.is_over or exists (
	     select from unnest($4::text[], $5::uuid[]) o(id, order_id) join label_push p using (order_id) where o.id = h.id))`,
);

/** Start of the next sweep in RFC 3339: $2 milliseconds before the last one's end, or $3 days ago for the first. */
export const selectSweepStart = prepared<readonly [string]>(
	"select_sweep_start",
	`select to_char((coalesce(max(swept_to) - $2 * interval '1 millisecond', now() - $3 * interval '1 day')) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
	 from box_sweep where platform = $1`,
);

/** When other stores' orders began to be followed, in milliseconds since 1970; before the first sweep: now. */
export const selectFollowedFrom = prepared<readonly [number]>(
	"select_followed_from",
	`select round(extract(epoch from coalesce(max(followed_from), now())) * 1000)::float8 from box_sweep where platform = $1`,
);

export const noteSweep = prepared(
	"note_sweep",
	`insert into box_sweep (platform, swept_to) values ($1, $2)
	 on conflict (platform) do update set swept_to = greatest(box_sweep.swept_to, excluded.swept_to)`,
);

export const selectToday = prepared<readonly [string]>(
	"select_today_utc",
	"select (now() at time zone 'UTC')::date::text",
);

export interface TrackedElsewhere {
	readonly index: number;
	readonly shipmentId: string;
	/** The order's external id or reference. */
	readonly order: string;
}

/** Labelled or shipped boxes with the tracking number of one of these parcels but of another order; one per parcel. */
export const selectBoxesTracked = async (db: Query, parcels: readonly TypedParcel[]): Promise<TrackedElsewhere[]> =>
	(
		await db.query<TrackedElsewhere>(
			`select distinct on (p.index) p.index, s.shipment_id as "shipmentId", coalesce(o.external_order_id, o.ref) as "order"
			   from unnest($1::int[], $2::text[], $3::text[]) p(index, name, tracking)
			   join shipment s on s.tracking_number = p.tracking and s.status in ('label_created', 'shipped')
			   join orders o on o.order_id = s.order_ids[1]
			  where not exists (
			    select from orders of where of.order_id = any(s.order_ids)
			       and (lower(p.name) = of.order_id::text or p.name in (of.ref, of.external_order_id)))
			    and not exists (
			    select from shipment named where named.shipment_id::text = lower(p.name) and named.order_ids && s.order_ids)
			  order by p.index, s.shipment_id`,
			[
				plainArray(parcels.map((_, index) => index)),
				textArray(parcels.map(({ order }) => order)),
				textArray(parcels.map(({ trackingNumber }) => trackingNumber)),
			],
		)
	).rows;

/* Additional data for the warehouse's papers: names, dates and locations of lots. */

/**
 * Unshipped units of these orders, by lot, in the order in which the orders were placed. `toPick`: only of those that
 * wait to be picked.
 */
export const selectPickParts = (db: Query, orderIds: readonly string[], toPick: boolean) =>
	db.query<PickPart>(
		`select o.order_id as "orderId", o.ref, o.external_order_id as "externalOrderId", r.name as partner, l.fg_id as "fgId", f.code as formula, l.batch_number as "batchNumber", l.expires_on as "expiresOn",
		        l.received_on as "receivedOn", b.brand_code as "brandCode", l.location, x.units
		   from orders o join partner r on r.partner_id = o.partner_id
		   join hold h using (reservation_token) join hold_part x using (reservation_token)
		   join lot l on l.fg_id = x.fg_id join formula f on f.formula_id = l.formula_id join pool b on b.pool_id = l.pool_id
		  where o.order_id = any($1::uuid[]) and part_state(h.status, x.own_state) = 'allocated' and (not $2::bool or ${TO_PICK})
		  order by o.placed_at, o.order_id, x.ordinal`,
		[orderIds, toPick],
	);

export interface OrderOnPaper
	extends Pick<Order, "orderId" | "ref" | "externalOrderId" | "customer" | "serviceLevel" | "note"> {
	readonly placedAt: Date;
	/** The brand that all its lines share. */
	readonly brandName: string | null;
}

export const selectOrdersOnPaper = (db: Query, orderIds: readonly string[]) =>
	db.query<OrderOnPaper>(
		`select o.order_id as "orderId", o.ref, o.external_order_id as "externalOrderId", o.customer, o.service_level as "serviceLevel",
		        o.note, o.placed_at as "placedAt", case when b.brand_code is not null then b.name end as "brandName"
		   from orders o join pool b using (pool_id) where o.order_id = any($1::uuid[]) order by array_position($1::uuid[], o.order_id)`,
		[orderIds],
	);

export const selectSkuNames = (db: Query, skus: readonly string[]) =>
	db.query<{ readonly sku: string; readonly name: string }>("select sku, name from sku where sku = any($1::text[])", [
		skus,
	]);

export const selectLastDays = (db: Query, fgIds: readonly string[]) =>
	db.query<{ readonly fgId: string; readonly expiresOn: string | null }>(
		`select fg_id as "fgId", expires_on as "expiresOn" from lot where fg_id = any($1::uuid[])`,
		[fgIds],
	);
