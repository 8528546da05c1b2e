import { must } from "../../ground/lib/assert.ts";
import type { Page } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { firstSince, preparedPage } from "../../ground/pg/page.ts";
import { prepared } from "../../ground/pg/query.ts";
import type { HoldLine, PartState } from "../holds/hold.ts";
import type { OrderStatus } from "./order.ts";
import type { BoxedOrder, Contents, OrderRecord, ShipmentRecord } from "./order-record.ts";
import type { ShipmentStatus } from "./shipment.ts";
import { orderReader, shipmentReader } from "./sql.ts";

/* Reads orders and boxes for replies, each in one statement and so in one snapshot. Locks nothing. */

type PartInJson = [line: number, formulaId: string, fgId: string, batchNumber: string, units: number, state: PartState];

/** Parts of order `o` and its hold `h` that still belong to the order, in picking order. */
const PARTS = `(
	  select coalesce(jsonb_agg(jsonb_build_array(p.line, p.formula_id, p.fg_id, l.batch_number, p.units, part_state(h.status, p.own_state))
	                            order by p.ordinal), '[]')
	    from hold_part p join lot l using (fg_id)
	   where p.reservation_token = o.reservation_token and part_state(h.status, p.own_state) in ('allocated', 'shipped'))`;

const toContents = (lines: readonly HoldLine[], parts: readonly PartInJson[]): Contents => ({
	lines,
	parts: parts.map(([line, formulaId, fgId, batchNumber, units, state]) => ({
		line,
		formulaId,
		fgId,
		batchNumber,
		units,
		state,
	})),
});

/** `lines` and `parts` are null if the box records its own contents. */
interface OrderInJson extends Omit<BoxedOrder, "contents"> {
	readonly lines: HoldLine[] | null;
	readonly parts: PartInJson[] | null;
}

/** Columns of box `s` for its reply. */
export const RECORD_COLUMNS = `(select brand_code from pool where pool_id = s.pool_id), (
	  select jsonb_agg(jsonb_build_object('orderId', o.order_id, 'ref', o.ref, 'externalOrderId', o.external_order_id,
	           'shipTo', o.customer -> 'ship_to', 'lines', case when s.items is null then h.lines end,
	           'parts', case when s.items is null then ${PARTS} end) order by b.n)
	    from unnest(s.order_ids) with ordinality b(order_id, n)
	    join orders o using (order_id) join hold h using (reservation_token)), ${shipmentReader.select("s")}`;

/** Decodes these columns, which start at index `first`. */
export const toShipmentRecord = (row: readonly unknown[], first = 0): ShipmentRecord => ({
	brandCode: row[first] as string | null,
	orders: (row[first + 1] as OrderInJson[]).map(toBoxedOrder),
	shipment: shipmentReader.decode(row, first + 2),
});

const toBoxedOrder = ({ lines, parts, ...order }: OrderInJson): BoxedOrder => ({
	...order,
	contents: lines === null || parts === null ? null : toContents(lines, parts),
});

type RecordOfOrder = [
	brandCode: string | null,
	lines: HoldLine[],
	parts: PartInJson[],
	boxes: unknown[][],
	...unknown[],
];

/**
 * Columns of order `o` and its hold `h` for its reply. An order that was removed from a shared box by a cancel is in no
 * box.
 */
export const ORDER_COLUMNS = `(select brand_code from pool where pool_id = o.pool_id), h.lines, ${PARTS}, (
	  select coalesce(jsonb_agg(jsonb_build_array(${RECORD_COLUMNS}) order by x.n), '[]')
	    from unnest(o.shipment_ids) with ordinality x(shipment_id, n) join shipment s using (shipment_id)),
	        ${orderReader.select("o")}`;

/** Decodes these columns. */
export function toOrderRecord(row: readonly unknown[]): OrderRecord {
	const [brandCode, lines, parts, boxes] = row as RecordOfOrder;
	return {
		order: orderReader.decode(row, 4),
		brandCode,
		contents: toContents(lines, parts),
		shipments: boxes.map((box) => toShipmentRecord(box)),
	};
}

const orderWithBoxes = prepared<readonly unknown[]>(
	"select_order",
	`select ${ORDER_COLUMNS} from orders o join hold h using (reservation_token) where o.order_id = $1`,
);

export async function selectOrder(db: Query, orderId: string): Promise<OrderRecord | undefined> {
	const [row] = await orderWithBoxes(db, [orderId]);
	return row === undefined ? undefined : toOrderRecord(row);
}

/** Filters of a list of boxes; null: all. */
export interface ShipmentFilter {
	/** Null: any pool, for the boxes of one order. */
	readonly poolId: number | null;
	/** RFC 3339. */
	readonly modifiedSince: string | null;
	readonly status: ShipmentStatus | null;
	readonly orderId: string | null;
}

const BY_TIME = { table: "shipment", number: "modified_seq", time: "listed_at", where: "pool_id = $3::int" };

type ListedRow = [modifiedSeq: number, partnerId: string, ...record: unknown[]];
/** `more`: a further condition, which has its own index; `bounded`: whether the time limits the range of numbers. */
const pageOf = (name: string, more: string, bounded = true) =>
	preparedPage<ListedRow>(
		name,
		"shipment_epoch",
		`select s.modified_seq, (select partner_id from orders where order_id = s.order_ids[1]), ${RECORD_COLUMNS}
	   from shipment s
	  where s.modified_seq > $1 and s.modified_seq >= ${bounded ? firstSince(BY_TIME, "$4::timestamptz") : 0}
	    and ($3::int is null or s.pool_id = $3) and ($4::timestamptz is null or s.listed_at >= $4)
	    and ${more}
	  order by s.modified_seq limit $2`,
	);
const pageOfAll = pageOf("select_shipments", "($5::text is null or s.status = $5)");
// nearly all boxes are shipped, so the others are found through a separate index
const pageOfUnshipped = pageOf("select_unshipped", "s.status <> 'shipped' and s.status = $5");
const pageOfOrder = pageOf(
	"select_shipments_of_order",
	// Also the cancelled box that the order left when it was combined, so that its readers learn how it ended.
	`($5::text is null or s.status = $5) and s.shipment_id = any(array(
	   select unnest(shipment_ids) from orders where order_id = $6
	   union all select shipment_id from shipment where status = 'cancelled' and order_ids[1] = $6))`,
	false,
);

/** Boxes that changed after a number, in the order of their changes. */
export function selectShipments(db: Query, page: Page, { poolId, modifiedSince, status, orderId }: ShipmentFilter) {
	if (orderId !== null) return pageOfOrder(db, page, [poolId, modifiedSince, status, orderId]);
	const read = status === null || status === "shipped" ? pageOfAll : pageOfUnshipped;
	return read(db, page, [poolId, modifiedSince, status]);
}

export const toListedShipment = (row: ListedRow) => ({
	modifiedSeq: row[0],
	/** The partner whose orders are in it; a box only has orders of one key. */
	partnerId: row[1],
	record: toShipmentRecord(row, 2),
});

const oneShipment = prepared<readonly unknown[]>(
	"select_shipment",
	`select ${RECORD_COLUMNS} from shipment s where s.shipment_id = $1`,
);
/** A box that must exist; boxes are never deleted. */
export async function selectShipment(db: Query, shipmentId: string): Promise<ShipmentRecord> {
	const [row] = await oneShipment(db, [shipmentId]);
	return toShipmentRecord(must(row, `shipment ${shipmentId}`));
}

export interface FoundOrder {
	readonly orderId: string;
	readonly token: string;
	readonly keyId: string;
	readonly partnerId: string;
	readonly status: OrderStatus;
}
type FoundRow = [orderId: string, token: string, keyId: string, partnerId: string, status: OrderStatus];

const ordersByRef = prepared<FoundRow>(
	"find_orders",
	`select order_id, reservation_token, key_id, partner_id, status from orders where order_id = $1::uuid
	 union all
	 select order_id, reservation_token, key_id, partner_id, status from orders where key_id = $2 and ref = $3`,
);
/** The order with this id, then the order that the key placed under this Idempotency-Key. `orderId` null: not an id. */
export async function findOrders(
	db: Query,
	orderId: string | null,
	keyId: string | null,
	ref: string,
): Promise<FoundOrder[]> {
	const rows = await ordersByRef(db, [orderId, keyId, ref]);
	return rows.map(([id, token, ownKeyId, partnerId, status]) => ({
		orderId: id,
		token,
		keyId: ownKeyId,
		partnerId,
		status,
	}));
}
