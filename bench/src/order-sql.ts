/**
 * Statements for the world of orders: holds to be placed, and shipped orders, inserted in sets so that `verify` passes.
 */
import { BRAND, formulaId, lotId, skuCode } from "./sql.ts";

/** The token of a hold to be placed contains its number: `00000000-0000-7000-a000-000000000042`. */
export const HOLD_TOKEN_PREFIX = "00000000-0000-7000-a000-";
const holdToken = (n: string): string => `('${HOLD_TOKEN_PREFIX}' || lpad((${n})::text, 12, '0'))::uuid`;
const POOL = `(select pool_id from pool where brand_code = '${BRAND}')`;
const LINES = `jsonb_build_array(jsonb_build_object('sku', sku, 'brand_code', '${BRAND}', 'qty', 1, 'pools', jsonb_build_array(${POOL}, 0), 'components',
	     jsonb_build_array(jsonb_build_object('formula_id', formula_id, 'per_kit', 1))))`;
const KEYS = "(select key_id, partner_id, pk, row_number() over (order by name) - 1 as k from api_key)";

/** One unit of one lot for each, from lots in turn. $2: number of SKUs. */
const each = (name: string, token: string, at: string): string => `create temporary table ${name} on commit drop as
	 select n, ${token} as token, ${at} as at, ${lotId("n % $2::integer")} as fg_id, ${formulaId("n % $2::integer")} as formula_id,
	   ${skuCode("n % $2::integer")} as sku
	 from generate_series(0, $1::integer - 1) n`;

const moves = (name: string, from: string, to: string, cause: string): string =>
	`insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
	 select at, fg_id, '${from}', '${to}', 1, '${cause}', token::text, 'key:' || pk, 'req_past'
	 from ${name} join ${KEYS} keys on k = n % $1::integer order by n`;

const balances = (name: string, bucket: string): string =>
	`update lot set available = available - used.units, ${bucket} = ${bucket} + used.units
	 from (select fg_id, count(*)::integer as units from ${name} group by fg_id) used where used.fg_id = lot.fg_id`;

interface Filling {
	readonly text: string;
	readonly values: readonly number[];
}

/** Active holds that end in half a day, of the keys in turn. */
export const INSERT_HOLDS_TO_PLACE = (holds: number, skus: number, keys: number): Filling[] => [
	{ text: each("waiting", holdToken("n"), "date_trunc('milliseconds', now())"), values: [holds, skus] },
	{
		text: `insert into hold (reservation_token, key_id, partner_id, status, lines, created_at, expires_at)
	 select token, key_id, partner_id, 'active', ${LINES}, at, at + interval '12 hours'
	 from waiting join ${KEYS} keys on k = n % $1::integer`,
		values: [keys],
	},
	{
		text: `insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units)
	 select token, 0, 0, formula_id, fg_id, ${POOL}, 1 from waiting`,
		values: [],
	},
	{ text: moves("waiting", "available", "held", "reserve"), values: [keys] },
	{ text: balances("waiting", "held"), values: [] },
];

/**
 * Orders of the last 90 days but the last two, each shipped in a box of its own, with its event or the remaining part
 * of it.
 */
export const INSERT_PAST_ORDERS = (orders: number, skus: number, keys: number): Filling[] => [
	{
		text: `${each("shipped", "uuidv7(at - now())", "at")},
	   lateral (select date_trunc('milliseconds', now() - interval '90 days' + n * (interval '88 days' / $1::integer)) as at) t`,
		values: [orders, skus],
	},
	{ text: "alter table shipped add order_id uuid, add shipment_id uuid", values: [] },
	{ text: "update shipped set order_id = uuidv7(at - now()), shipment_id = uuidv7(at - now())", values: [] },
	{
		text: `insert into hold (reservation_token, key_id, partner_id, status, lines, created_at, expires_at, ended_at)
	 select token, key_id, partner_id, 'placed', ${LINES}, at, at + interval '30 minutes', at
	 from shipped join ${KEYS} keys on k = n % $1::integer`,
		values: [keys],
	},
	{
		text: `insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units, own_state)
	 select token, 0, 0, formula_id, fg_id, ${POOL}, 1, 'shipped' from shipped`,
		values: [],
	},
	{
		text: `insert into orders (order_id, key_id, partner_id, environment, ref, reservation_token, pool_id, status, version, customer,
	   service_level, shipment_ids, placed_at, picked_at, shipped_at, updated_at, modified_seq)
	 select order_id, key_id, partner_id, 'live', 'past-' || n, token, ${POOL}, 'shipped', 2, '${CUSTOMER()}', 'standard',
	   array[shipment_id], at, at, at, at, n + 1
	 from shipped join ${KEYS} keys on k = n % $1::integer`,
		values: [keys],
	},
	{ text: "select take_numbers('shipment_epoch', $1::integer)", values: [orders] },
	{
		text: `insert into shipment (shipment_id, pool_id, environment, status, order_ids, carrier_code, tracking_number, items, created_at,
	   label_created_at, shipped_at, modified_at, version, modified_seq, listed_at)
	 select shipment_id, ${POOL}, 'live', 'shipped', array[order_id], 'ups', '1Z' || n, ${ITEMS}, at, at, at, at, 2, n + 1, (select at from shipment_epoch)
	 from shipped join lot using (fg_id)`,
		values: [],
	},
	{ text: "select take_numbers('event_epoch', $1::integer)", values: [orders] },
	{
		text: `insert into event (event_id, seq, partner_id, environment, type, order_id, created_at, body, pruned_at)
	 select 'evt_' || replace(order_id::text, '-', '') || '0002', n + 1, partner_id, 'live', 'order.shipped', order_id, at,
	   jsonb_build_object('type', 'order.shipped', 'data', jsonb_build_object('order_id', order_id, 'ref', 'past-' || n, 'order_version', 2,
	     'shipment', jsonb_build_object('shipment_id', shipment_id, 'items', ${ITEMS})))::text, ${FORGOTTEN_AT}
	 from shipped join lot using (fg_id) join ${KEYS} keys on k = n % $1::integer`,
		values: [keys],
	},
	{ text: moves("shipped", "available", "held", "reserve"), values: [keys] },
	{ text: moves("shipped", "held", "allocated", "place"), values: [keys] },
	{ text: moves("shipped", "allocated", "shipped", "ship"), values: [keys] },
	{ text: balances("shipped", "shipped"), values: [] },
];
/**
 * Events are forgotten after 30 days: older ones are inserted as forgotten, so that the service forgets none during the
 * measurement.
 */
const FORGOTTEN_AT = "case when at < now() - interval '30 days' then at + interval '30 days' end";
const ITEMS = `jsonb_build_array(jsonb_build_object('order_id', order_id, 'line', 0, 'sku', sku, 'qty', 1, 'lots',
	     jsonb_build_array(jsonb_build_object('fg_id', fg_id, 'formula_id', shipped.formula_id, 'batch_number', batch_number, 'units', 1))))`;

/** The customer of every order in the bench. */
export function CUSTOMER(): string {
	const ship_to = { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
	return JSON.stringify({ name: "Ada Example", email: "ada@example.com", ship_to });
}

/* One transaction per request, statement by statement. */

export const SELECT_ORDER_BY_REF = "select order_id from orders where key_id = $1 and ref = $2";
export const LOCK_HOLD = `select status, lines, expires_at > clock_timestamp() as lives from hold
	where reservation_token = $1 and key_id = $2 for update`;
export const SELECT_PARTS_WITH_LOTS = `select p.line, p.formula_id, p.fg_id, p.units, l.batch_number
	from hold_part p join lot l using (fg_id) where p.reservation_token = $1 and p.own_state is null order by p.ordinal`;
export const ALLOCATE_LOT = "update lot set held = held - $2, allocated = allocated + $2 where fg_id = $1";
export const INSERT_PLACE_MOVE = `insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
	values (now(), $1, 'held', 'allocated', $2, 'place', $3, $4, $5)`;
export const END_HOLD = "update hold set status = 'placed', ended_at = now() where reservation_token = $1";
export const INSERT_ORDER = `insert into orders (order_id, key_id, partner_id, environment, ref, reservation_token, pool_id, status, version,
	customer, service_level, shipment_ids, placed_at, updated_at, modified_seq)
	select $1, $2, $3, 'live', $4, $5, $6, 'placed', 1, $7, 'standard', array[$8::uuid], now(), now(), last
	  from take_numbers_at('shipment_epoch', 1) returning placed_at`;
export const INSERT_SHIPMENT = `insert into shipment (shipment_id, pool_id, environment, status, order_ids, created_at, modified_at, version,
	modified_seq, listed_at)
	select $1, $2, 'live', 'awaiting_shipment', array[$3::uuid], now(), now(), 1, last, at from take_numbers_at('shipment_epoch', 1)`;
