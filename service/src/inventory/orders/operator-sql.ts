import type { Environment } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import type { HoldReason } from "../../partners/webhooks/event.ts";
import type { OrderOfMove } from "../stock/list-lots-sql.ts";
import type { FoundOrder } from "./find-order-sql.ts";
import type { LotChange } from "./lot-changes.ts";
import type { OrderStatus, ServiceLevel } from "./order.ts";

/* Reads any partner's orders for the operator, by name or as a list. Locks nothing. */

export interface OrderOfName extends FoundOrder {
	/** The name it was looked up by. */
	readonly name: string;
	/** What people call it (`nameOfOrder`). */
	readonly called: string;
	readonly partner: string;
}

const MEANT = `coalesce(o.external_order_id, o.ref) as called, o.order_id as "orderId", o.reservation_token as token, o.key_id as "keyId", o.partner_id as "partnerId", o.status, p.name as partner`;

const OWNED = "orders o join partner p on p.partner_id = o.partner_id";

/** The orders with these ids; each is named by its id. */
export const selectOrdersById = (db: Query, ids: readonly string[]) =>
	db.query<OrderOfName>(`select o.order_id::text as name, ${MEANT} from ${OWNED} where o.order_id = any($1::uuid[])`, [
		ids,
	]);

/**
 * The orders with these names as Idempotency-Keys or external ids. No index covers either alone, so this scans all
 * orders once, however many names there are.
 */
export const selectOrdersNamed = (db: Query, names: readonly string[]) =>
	db.query<OrderOfName>(
		`select n.name, ${MEANT} from unnest($1::text[]) n(name) join ${OWNED} on o.ref = n.name
		 union
		 select n.name, ${MEANT} from unnest($1::text[]) n(name) join ${OWNED} on o.external_order_id = n.name
		  order by 1, 2`,
		[names],
	);

export interface OrderOwner {
	readonly partner: string;
	/** The key's public half. */
	readonly key: string;
	readonly keyName: string;
}

export interface ListedOrder extends OrderOwner, OrderOfMove {
	readonly token: string;
	readonly status: OrderStatus;
	readonly holdReason: HoldReason | null;
	readonly holdDetail: string | null;
	/** Null: its lines have no common brand. */
	readonly brandCode: string | null;
	readonly environment: Environment;
	readonly serviceLevel: ServiceLevel;
	/** The customer's name. */
	readonly customer: string;
	readonly city: string;
	readonly country: string;
	readonly placedAt: Date;
	readonly updatedAt: Date;
}

/** A null filter is ignored. */
export interface OrderFilter {
	readonly keyId: string | null;
	readonly brandCode: string | null;
	readonly status: OrderStatus | null;
	/** A text by which a person identifies an order; see `MATCHES`. */
	readonly search?: string | null;
	/** Only orders older than this one, by id. */
	readonly before?: string | null;
}

/**
 * Whether order `o` matches the text $5: by id, reference, external id (with or without the `#` that shops put before
 * it) or the tracking number of a box, or as part of the customer's name or e-mail address. The last two have no index:
 * orders left by the other filters are read newest first until the list is full.
 */
const MATCHES = `(o.order_id::text = lower($5) or $5 in (o.ref, o.external_order_id) or '#' || $5 in (o.ref, o.external_order_id)
	or o.order_id = any(array(select unnest(order_ids) from shipment where tracking_number = $5))
	or position(lower($5) in lower(concat_ws(' ', o.customer ->> 'name', o.customer ->> 'email'))) > 0)`;

/** The newest `limit` orders, by id, because ids grow with time. */
export const selectOrders = (
	db: Query,
	{ keyId, brandCode, status, search = null, before = null }: OrderFilter,
	limit: number,
) =>
	db.query<ListedOrder>(
		`select o.order_id as "orderId", o.reservation_token as token, o.ref, o.external_order_id as "externalOrderId", o.status, o.hold_reason as "holdReason",
		        o.hold_detail as "holdDetail", b.brand_code as "brandCode", o.environment, p.name as partner, k.pk as key,
		        k.name as "keyName", o.service_level as "serviceLevel", o.customer ->> 'name' as customer, o.customer -> 'ship_to' ->> 'city' as city,
		        o.customer -> 'ship_to' ->> 'country' as country, o.placed_at as "placedAt", o.updated_at as "updatedAt"
		   from orders o join api_key k using (key_id) join partner p on p.partner_id = o.partner_id join pool b on b.pool_id = o.pool_id
		  where ($1::uuid is null or o.key_id = $1) and ($2::text is null or b.brand_code = $2) and ($3::text is null or o.status = $3)
		    and ($5::text is null or ${MATCHES}) and ($6::uuid is null or o.order_id < $6)
		  order by o.order_id desc limit $4`,
		[keyId, brandCode, status, limit, search, before],
	);

/** The current time in epoch milliseconds, and the current day. */
export async function selectNow(
	db: Query,
	timeZone: string,
): Promise<{ readonly now: number; readonly today: string }> {
	const { rows } = await db.query<{ now: number; today: string }>(
		`select ${wholeMs("t")} as now, (t at time zone $1)::date as today from clock_timestamp() t`,
		[timeZone],
	);
	return must(rows[0], "the instant");
}

export const selectOwners = (db: Query, keyIds: readonly string[]) =>
	db.query<OrderOwner & { keyId: string }>(
		`select k.key_id as "keyId", p.name as partner, k.pk as key, k.name as "keyName"
		   from api_key k join partner p using (partner_id) where k.key_id = any($1::uuid[])`,
		[keyIds],
	);

/**
 * Units that an order, named by its reservation token, lost and was given after it was placed, oldest first. Reads the
 * ledger only if it lost any.
 */
export async function selectLotChanges(db: Query, token: string): Promise<LotChange[]> {
	const { rows } = await db.query<LotChange>(
		`select ${wholeMs("m.at")} as at, m.fg_id as "fgId", f.code as formula, l.batch_number as "batchNumber", m.units,
		        case when m.to_bucket = 'allocated' then 'in' else 'out' end as way, m.cause,
		        case when m.reservation_token is not null then m.cause_id end as reason, m.actor
		   from unit_move m join lot l using (fg_id) join formula f using (formula_id)
		  where exists (select from hold_part where reservation_token = $1 and own_state = 'displaced')
		    and m.fg_id = any(array(select fg_id from hold_part where reservation_token = $1))
		    and (m.reservation_token = $1 or m.cause_id = $1::text)
		    and ((m.from_bucket = 'allocated' and m.cause in ('recall', 'quarantine', 'destroy', 'repick'))
		         or (m.from_bucket = 'shipped' and m.to_bucket = 'quarantined' and m.cause = 'void')
		         or (m.to_bucket = 'allocated' and m.cause = 'repick'))
		  order by m.seq`,
		[token],
	);
	return rows;
}
