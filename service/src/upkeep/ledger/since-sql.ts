import type { Query } from "../../ground/pg/connect.ts";
import { WAITING_IN_SQL } from "../../inventory/orders/shipment.ts";
import type { Seal } from "./seal-sql.ts";
import { HOLD_CAUSES_IN_SQL, HOLD_SUM_NAMES, MOVED_BY_HOLD } from "./verify-sums-sql.ts";

/*
 * What a run since a seal reads. Temporary tables take the names of those that grow with history, so the rules of
 * verify-sql.ts find them first, and each rule is the same statement as in a whole run. They contain the moves after
 * the seal and everything that changed since or may still change: active holds, holds with such a move, orders that are
 * open or have a newer number, their boxes and their events. The set is closed: what a row in it refers to is in it.
 */

/** Plans that look rows up and never read a large table to its end. */
const LOOK_UP = `select set_config(s.name, s.value, true)
   from (values ('work_mem', '256MB'), ('jit', 'off'), ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
                ('enable_indexscan', 'on'), ('enable_bitmapscan', 'on'), ('enable_indexonlyscan', 'on')) s(name, value)`;

/** Plans for sums over the rows that were looked up. */
const ADD_UP = `select set_config(s.name, s.value, true)
   from (values ('hash_mem_multiplier', '2'), ('enable_seqscan', 'on'), ('enable_hashjoin', 'on'), ('enable_mergejoin', 'on')) s(name, value)`;

const UUID = "'^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'";
/** Tokens of the holds that moved since. */
const MOVED = `select case when cause_id ~ ${UUID} then cause_id::uuid end as token from moved_since where cause in ${HOLD_CAUSES_IN_SQL}
   union select reservation_token from moved_since`;
const TOKENS = "any(array(select token from looked_hold))";
const ORDERS = "any(array(select order_id from looked_order))";
const BOXES = "any(array(select shipment_id from looked_box))";

/**
 * The orders to read: those that are open, changed or moved since, or are named by a later event, and all that share a
 * box with one of them.
 */
const ordersSince = ({ changesUpto, eventsUpto }: Seal): string => `
with recursive begun as (
  select order_id from orders where is_open
  union select order_id from orders where key_id = any(array(select key_id from api_key)) and modified_seq > ${changesUpto}
  union select order_id from orders where reservation_token = any(array(${MOVED}))
  union select order_id from event where seq > ${eventsUpto} and order_id is not null
  union select unnest(order_ids) from shipment where modified_seq > ${changesUpto}
  union select unnest(order_ids) from shipment where pool_id = any(array(select pool_id from pool)) and status in ${WAITING_IN_SQL}),
 reached as (
  select order_id from begun
  union
  select u.order_id
    from reached r join orders o using (order_id) cross join unnest(o.shipment_ids) b(shipment_id) join shipment s using (shipment_id)
   cross join unnest(s.order_ids) u(order_id))
select order_id from reached`;

const boxesSince = ({ changesUpto }: Seal): string => `
select unnest(shipment_ids) as shipment_id from orders where order_id = ${ORDERS}
union select shipment_id from shipment where modified_seq > ${changesUpto}
union select shipment_id from shipment where pool_id = any(array(select pool_id from pool)) and status in ${WAITING_IN_SQL}`;

const holdsSince = ({ eventsUpto }: Seal): string => `
select token from (${MOVED}
  union select reservation_token from hold where ended_at is null
  union select reservation_token from orders where order_id = ${ORDERS}
  union select (body::jsonb #>> '{data,reservation_token}')::uuid from event
         where seq > ${eventsUpto} and type = 'hold.impaired' and pruned_at is null) t where token is not null`;

/**
 * The sums of the earlier moves of holds: those of the seal. A hold that ended so long before that its sums were
 * dropped, and moved again, is assumed to have had the earlier moves that its parts require.
 */
const EARLIER_OF_HOLD = `
with
  later as (${MOVED_BY_HOLD}),
  parts as (
    select reservation_token, coalesce(sum(units) filter (where state = 'freed'), 0) as freed,
           coalesce(sum(units) filter (where state = 'shipped'), 0) as shipped
      from part_now group by 1)
select reservation_token::text as cause_id, ${HOLD_SUM_NAMES.join(", ")}, false as is_assumed from sealed_hold
union all
select h.reservation_token::text, w.units, greatest(0, coalesce(h.consumed_units, 0) - coalesce(m.consumed, 0)),
       greatest(0, coalesce(h.returned_units, 0) - coalesce(m.reversed, 0)), greatest(0, coalesce(p.freed, 0) - coalesce(m.freed, 0)),
       greatest(0, case when h.status = 'placed' then w.units else 0 end - coalesce(m.placed, 0)),
       greatest(0, coalesce(p.shipped, 0) - coalesce(m.shipped, 0)), true
  from hold h left join later m on m.cause_id = h.reservation_token::text left join parts p using (reservation_token)
 cross join lateral (
    select coalesce(sum((l.line->>'qty')::bigint * (c.component->>'per_kit')::bigint), 0) as units
      from jsonb_array_elements(h.lines) l(line), jsonb_array_elements(l.line->'components') c(component)) w
 where h.status <> 'active' and coalesce(m.reserved, 0) = 0
   and not exists (select from sealed_hold s where s.reservation_token = h.reservation_token)`;

/** The temporary tables in the order in which they are filled: each may be filled from those before it. */
const tablesSince = (seal: Seal): readonly (readonly [name: string, rows: string])[] => [
	["moved_since", `select * from unit_move where seq > ${seal.movesUpto}`],
	["looked_order", ordersSince(seal)],
	["looked_box", boxesSince(seal)],
	["looked_hold", holdsSince(seal)],
	["part_now", `select * from part_now where reservation_token = ${TOKENS}`],
	["hold_part", `select * from hold_part where reservation_token = ${TOKENS}`],
	["sealed_hold", `select * from hold_seal where reservation_token = ${TOKENS}`],
	["hold", `select * from hold where reservation_token = ${TOKENS}`],
	["orders", `select * from orders where order_id = ${ORDERS}`],
	["shipment", `select * from shipment where shipment_id = ${BOXES}`],
	[
		"event",
		`select * from event where seq > ${seal.eventsUpto} union select * from event where order_id is not null and order_id = ${ORDERS}`,
	],
	["webhook_delivery", "select * from webhook_delivery where seq = any(array(select seq from event))"],
	[
		"draw_down",
		"select * from draw_down where reference = any(array(select cause_id from moved_since where cause = 'draw_down'))",
	],
	["unit_move", "select * from moved_since"],
];

/**
 * Fills the tables that a run since `seal` reads, for this transaction. `onTable` is called before each, with their
 * number, which is also returned.
 */
export async function readSince(tx: Query, seal: Seal, onTable: (step: number, of: number) => void): Promise<number> {
	const tables = tablesSince(seal);
	await tx.query(LOOK_UP);
	for (const [step, [name, rows]] of tables.entries()) {
		onTable(step, tables.length);
		await keep(tx, name, rows);
	}
	await tx.query(ADD_UP);
	await keep(tx, "earlier_of_hold", EARLIER_OF_HOLD);
	return tables.length;
}

async function keep(tx: Query, name: string, rows: string): Promise<void> {
	await tx.query(`create temporary table ${name} on commit drop as ${rows}`);
	await tx.query(`analyze ${name}`);
}

/**
 * Number of holds that moved again and whose earlier moves were assumed to be what their parts require. Others without
 * sums are read only because their order changed, such as by the erasure of its customer.
 */
export async function selectAssumed(tx: Query): Promise<number> {
	const { rows } = await tx.query<{ assumed: number }>(
		`select count(*)::int as assumed from earlier_of_hold
		  where is_assumed and cause_id in (select cause_id from unit_move where cause in ${HOLD_CAUSES_IN_SQL})`,
	);
	return rows[0]?.assumed ?? 0;
}
