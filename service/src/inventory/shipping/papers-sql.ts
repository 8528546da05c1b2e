import type { Query } from "../../ground/pg/connect.ts";
import type { Customer, ServiceLevel } from "../orders/order.ts";
import type { PickPart } from "./pick-list.ts";

/* Additional data for the warehouse's papers: names, dates and locations of lots. */

/** Unshipped units of these orders, by lot, in the order in which the orders were placed. */
export const selectPickParts = (db: Query, orderIds: readonly string[]) =>
	db.query<PickPart>(
		`select o.order_id as "orderId", o.ref, l.fg_id as "fgId", f.code as formula, l.batch_number as "batchNumber", l.expires_on as "expiresOn",
		        l.received_on as "receivedOn", b.brand_code as "brandCode", l.location, x.units
		   from orders o join hold h using (reservation_token) join hold_part x using (reservation_token)
		   join lot l on l.fg_id = x.fg_id join formula f on f.formula_id = l.formula_id join pool b on b.pool_id = l.pool_id
		  where o.order_id = any($1::uuid[]) and part_state(h.status, x.own_state) = 'allocated'
		  order by o.placed_at, o.order_id, x.ordinal`,
		[orderIds],
	);

export interface OrderOnPaper {
	readonly orderId: string;
	readonly ref: string;
	readonly externalOrderId: string | null;
	readonly customer: Customer;
	readonly serviceLevel: ServiceLevel;
	readonly note: string | null;
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
