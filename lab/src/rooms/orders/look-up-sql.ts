import type pg from "pg";

/** An order in the tables. Instants are epoch milliseconds of the database's clock. */
export interface OrderFact {
	readonly orderId: string;
	readonly keyId: string;
	readonly ref: string;
	readonly token: string;
	readonly status: string;
	readonly version: number;
	readonly holdReason: string | null;
	readonly heldAt: number | null;
	/** True when it counts as picked. */
	readonly picked: boolean;
	readonly boxes: readonly string[];
	/** Units that are or were bound to it: waiting, shipped or given back, without those that a recall took away. */
	readonly allocated: number;
	readonly shipped: number;
	readonly freed: number;
	/** Units moved for it according to the ledger, by cause. */
	readonly moved: Readonly<Record<string, number>>;
}

/** A box in the tables. */
export interface BoxFact {
	readonly shipmentId: string;
	/** Null: the shared stock. */
	readonly brand: string | null;
	readonly status: string;
	readonly version: number;
	/** Its number in the order of all changes. */
	readonly seq: number;
	readonly orders: readonly string[];
	readonly shippedAt: number | null;
	/** Units shipped in it: [order id, formula id, brand or null, units]. */
	readonly units: readonly (readonly [string, string, string | null, number])[];
	/** The same by line and lot; empty for a box that did not leave. */
	readonly items: readonly PackedFact[];
}

/** Kits of a line in a box, with their lots: [fg_id, batch, units]. */
export interface PackedFact {
	readonly orderId: string;
	readonly line: number;
	readonly sku: string;
	readonly qty: number;
	readonly lots: readonly (readonly [string, string, number])[];
}

/** An item of a box according to an event. */
export interface ToldItem {
	readonly sku: string;
	readonly qty: number;
	readonly lots: readonly { readonly batch_number: string; readonly units: number }[];
}

/** An event in the tables. */
export interface EventFact {
	readonly eventId: string;
	readonly type: string;
	readonly orderId: string | null;
	readonly createdAt: number;
	/** The version in its body. */
	readonly version: number;
	readonly reason: string | null;
	readonly shipmentId: string | null;
	readonly shippedAt: number | null;
	/** For order.shipped: whether nothing is left to ship, and the content of the box. Null for other types. */
	readonly final: boolean | null;
	readonly items: readonly ToldItem[] | null;
}

export interface OrderFacts {
	readonly orders: readonly OrderFact[];
	readonly boxes: readonly BoxFact[];
	readonly events: readonly EventFact[];
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

// a part without a state of its own follows its hold
const ORDERS = `
	with parts as (
		select reservation_token, coalesce(sum(units) filter (where state = 'allocated'), 0)::int as allocated,
		       coalesce(sum(units) filter (where state = 'shipped'), 0)::int as shipped,
		       coalesce(sum(units) filter (where state = 'freed'), 0)::int as freed
		  from (select p.reservation_token, p.units, coalesce(p.own_state, case h.status when 'placed' then 'allocated' else h.status end) as state
		          from hold_part p join hold h using (reservation_token) join orders using (reservation_token)) s
		 group by 1),
	moves as (
		select cause_id, jsonb_object_agg(cause, units) as moved
		  from (select cause_id, cause, sum(units) as units from unit_move
		         where cause in ('place', 'cancel', 'ship', 'void') group by 1, 2) s
		 group by 1)
	select o.order_id as "orderId", o.key_id as "keyId", o.ref, o.reservation_token as token, o.status, o.version,
	       o.hold_reason as "holdReason", ${ms("o.held_at")} as "heldAt", o.picked_at is not null as picked, o.shipment_ids as boxes,
	       coalesce(p.allocated, 0) as allocated, coalesce(p.shipped, 0) as shipped, coalesce(p.freed, 0) as freed,
	       coalesce(m.moved, '{}') as moved
	  from orders o
	  left join parts p using (reservation_token)
	  left join moves m on m.cause_id = o.reservation_token::text`;
const BOXES = `
	select s.shipment_id as "shipmentId", p.brand_code as brand, s.status, s.version, s.modified_seq::float8 as seq, s.order_ids as orders,
	       ${ms("s.shipped_at")} as "shippedAt",
	       coalesce((select jsonb_agg(jsonb_build_array(item ->> 'order_id', l.formula_id, lp.brand_code, (packed ->> 'units')::int))
	                   from jsonb_array_elements(s.items) item, jsonb_array_elements(item -> 'lots') packed
	                   join lot l on l.fg_id = (packed ->> 'fg_id')::uuid join pool lp on lp.pool_id = l.pool_id
	                  where s.shipped_at is not null), '[]') as units,
	       coalesce((select jsonb_agg(jsonb_build_object('orderId', item ->> 'order_id', 'line', item -> 'line', 'sku', item ->> 'sku', 'qty', item -> 'qty',
	                          'lots', (select coalesce(jsonb_agg(jsonb_build_array(lot ->> 'fg_id', lot ->> 'batch_number', lot -> 'units')), '[]')
	                                     from jsonb_array_elements(item -> 'lots') lot)))
	                   from jsonb_array_elements(s.items) item where s.shipped_at is not null), '[]') as items
	  from shipment s join pool p using (pool_id)`;
const EVENTS = `
	select event_id as "eventId", type, order_id as "orderId", ${ms("created_at")} as "createdAt",
	       (data ->> 'order_version')::int as version, data ->> 'reason' as reason, data -> 'shipment' ->> 'shipment_id' as "shipmentId",
	       ${ms("(data -> 'shipment' ->> 'shipped_at')::timestamptz")} as "shippedAt", (data ->> 'final')::boolean as final,
	       data -> 'shipment' -> 'items' as items
	  from (select e.*, body::jsonb -> 'data' as data from event e where order_id is not null) e order by seq`;

export async function lookUpOrders(db: pg.Pool): Promise<OrderFacts> {
	const orders = await db.query<OrderFact>(ORDERS);
	const boxes = await db.query<BoxFact>(BOXES);
	const events = await db.query<EventFact>(EVENTS);
	return { orders: orders.rows, boxes: boxes.rows, events: events.rows };
}

/** An event that was visible before its change. */
export interface EarlyEvent {
	readonly eventId: string;
	readonly version: number;
	/** Version of the order at that moment; null: there was no such order. */
	readonly found: number | null;
}

/** Events are numbered in commit order, so that each is checked once, soon after its commit. */
const EARLY = `
	select e.seq::float8 as seq, e.event_id as "eventId", (e.body::jsonb #>> '{data,order_version}')::int as version, o.version as found
	  from event e left join orders o using (order_id) where e.seq > $1 and e.order_id is not null order by e.seq`;

/** Repeated checks for events about uncommitted changes. One statement is one snapshot. */
export function lookForEarlyEvents(): (db: pg.Pool) => Promise<EarlyEvent[]> {
	let last = 0;
	return async (db) => {
		const { rows } = await db.query<EarlyEvent & { seq: number }>(EARLY, [last]);
		last = rows.at(-1)?.seq ?? last;
		return rows
			.filter(({ version, found }) => found === null || found < version)
			.map(({ eventId, version, found }) => ({ eventId, version, found }));
	};
}
