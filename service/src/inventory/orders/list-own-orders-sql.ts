import type { Page } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { preparedPage, type RowsAsOf } from "../../ground/pg/page.ts";
import { ORDER_COLUMNS, toOrderRecord } from "./find-order-sql.ts";
import type { OrderStatus } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";

/* The list of a key's orders, in the order of their changes. Locks nothing. */

/** A null filter is ignored. */
export interface OwnOrderFilter {
	readonly keyId: string;
	readonly externalOrderId: string | null;
	readonly status: OrderStatus | null;
	/** RFC 3339; only orders placed after it. */
	readonly placedAfter: string | null;
}

/**
 * Maximum number of orders that one page with a filter reads, however few match, so that no page costs more than
 * another.
 */
export const MAX_SCANNED_ORDERS = 10_000;

/** The last number that a page with a filter reads; null: it reads all that follow. */
const SCAN_END = `(select max(modified_seq) from (
	   select modified_seq from orders where key_id = $3 and modified_seq > $1 order by modified_seq limit ${MAX_SCANNED_ORDERS}) s
	 having count(*) = ${MAX_SCANNED_ORDERS})`;

type Row = [modifiedSeq: number, ...record: unknown[]];
const select = (where: string): string =>
	`select o.modified_seq, ${ORDER_COLUMNS}
	   from orders o join hold h using (reservation_token)
	  where o.modified_seq > $1 and o.key_id = $3 ${where}
	  order by o.modified_seq limit $2`;

const everyOrder = preparedPage<Row>("select_own_orders", "shipment_epoch", select(""));
const someOrders = preparedPage<Row, [scanEnd: number | null]>(
	"select_some_own_orders",
	"shipment_epoch",
	select(
		`and ($4::text is null or o.status = $4) and ($5::timestamptz is null or o.placed_at > $5)
	    and o.modified_seq <= coalesce(${SCAN_END}, 9223372036854775807)`,
	),
	[SCAN_END],
);
const ordersOfExternalId = preparedPage<Row>(
	"select_own_orders_named",
	"shipment_epoch",
	select(
		`and o.external_order_id = $4 and ($5::text is null or o.status = $5)
	    and ($6::timestamptz is null or o.placed_at > $6)`,
	),
);

export interface OwnOrders {
	readonly rows: readonly { readonly modifiedSeq: number; readonly record: OrderRecord }[];
	readonly asOfMs: number;
	/** The number up to which the page has read, if more orders may match beyond it; null: it has read all. */
	readonly scanEnd: number | null;
}

export async function selectOwnOrders(
	db: Query,
	page: Page,
	{ keyId, externalOrderId, status, placedAfter }: OwnOrderFilter,
): Promise<OwnOrders> {
	if (externalOrderId !== null)
		return toOwnOrders(await ordersOfExternalId(db, page, [keyId, externalOrderId, status, placedAfter]), null);
	if (status === null && placedAfter === null) return toOwnOrders(await everyOrder(db, page, [keyId]), null);
	const some = await someOrders(db, page, [keyId, status, placedAfter]);
	return toOwnOrders(some, some.head[0]);
}

const toOwnOrders = ({ rows, asOfMs }: RowsAsOf<Row, readonly unknown[]>, scanEnd: number | null): OwnOrders => ({
	rows: rows.map(([modifiedSeq, ...record]) => ({ modifiedSeq, record: toOrderRecord(record) })),
	asOfMs,
	scanEnd,
});
