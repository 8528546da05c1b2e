import type { Query } from "../../ground/pg/connect.ts";
import type { LoneOrder } from "./combinable.ts";

/** The properties that orders in one box share and that SQL can compare. */
const TOGETHER = `o.key_id, o.pool_id, o.service_level, lower(o.customer -> 'ship_to' ->> 'country'),
	regexp_replace(lower(o.customer -> 'ship_to' ->> 'postal_code'), '[^a-z0-9]', '', 'g')`;

/**
 * Maximum number of open orders, the oldest, that are compared with each other: whatever waits behind them, a page
 * costs no more.
 */
const MOST_COMPARED = 10_000;

/**
 * Placed orders alone in a box without a label, if another such order has the same key, service level and postal code.
 */
export const selectLoneOrders = (db: Query, brandCode: string | null, most = MOST_COMPARED) =>
	db.query<LoneOrder>(
		`select "orderId", "shipmentId", "keyId", "poolId", partner, "brandCode", ref, "externalOrderId", customer, "serviceLevel", "shipTo",
		        "placedAt"
		   from (
		     select o.order_id as "orderId", s.shipment_id as "shipmentId", o.key_id as "keyId", o.pool_id as "poolId", p.name as partner,
		            b.brand_code as "brandCode", o.ref, o.external_order_id as "externalOrderId", o.customer ->> 'name' as customer,
		            o.service_level as "serviceLevel", o.customer -> 'ship_to' as "shipTo", o.placed_at as "placedAt",
		            count(*) over (partition by ${TOGETHER}) as n
		       from (select * from orders where is_open order by order_id limit $2) o cross join lateral unnest(o.shipment_ids) x(shipment_id) join shipment s on s.shipment_id = x.shipment_id
		       join pool b on b.pool_id = o.pool_id join partner p on p.partner_id = o.partner_id
		      where o.status = 'placed' and s.status = 'awaiting_shipment' and s.label_created_at is null
		        and cardinality(s.order_ids) = 1
		        and case when $1::text is null then o.environment = 'live' else b.brand_code = $1 end) candidate
		  where n > 1 order by "orderId"`,
		[brandCode, most],
	);
