import type { Query } from "../../ground/pg/connect.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import { selectOrder } from "../orders/find-order-sql.ts";
import type { Order } from "../orders/order.ts";
import { itemsOf } from "../orders/shipment-reply.ts";
import type { LabelAddress, LabelBox } from "./label-platform.ts";
import { isToBeHandedOver } from "./label-rows.ts";
import type { BoxWish } from "./orders-side.ts";

/** The box to push for an order; null: there is none, or it belongs to another order's push. */
export async function readLabelBox(
	db: Query,
	catalog: CatalogCache,
	orderId: string,
): Promise<Omit<LabelBox, "generation"> | null> {
	const record = await selectOrder(db, orderId);
	const box = record?.shipments.find(({ shipment }) => isToBeHandedOver(shipment) && shipment.orderIds[0] === orderId);
	if (record === undefined || box === undefined) return null;
	const { skus } = await catalog.read(db);
	const notes = await Promise.all(
		box.orders.map(async (other) =>
			other.orderId === orderId ? record.order.note : ((await selectOrder(db, other.orderId))?.order.note ?? null),
		),
	);
	const items = itemsOf(box).map(({ order_id, sku, qty }) => ({
		orderId: order_id,
		sku,
		qty,
		name: skus.get(sku)?.name ?? sku,
	}));
	if (items.length === 0) return null;
	const [first, ...others] = box.orders.map((order) => ({ orderId: order.orderId, ref: order.ref }));
	return {
		orders: [first ?? { orderId, ref: record.order.ref }, ...others],
		shipTo: addressOf(record.order),
		service: record.order.serviceLevel,
		items,
		note: notes.filter((note) => note !== null).join("\n") || null,
	};
}

/** The desired state of the box in which an order waits. */
export async function wishOfOrder(db: Query, orderId: string): Promise<BoxWish> {
	const record = await selectOrder(db, orderId);
	if (record?.order.status === "cancelled") return "not_ship";
	return record?.shipments.some(({ shipment }) => shipment.status === "on_hold") ? "stand_still" : "go";
}

function addressOf({ customer: { name, email, phone, ship_to } }: Pick<Order, "customer">): LabelAddress {
	return {
		name: ship_to.name ?? name,
		company: ship_to.company ?? null,
		line1: ship_to.line1,
		line2: ship_to.line2 ?? null,
		city: ship_to.city,
		state: ship_to.state ?? null,
		postalCode: ship_to.postal_code,
		country: ship_to.country,
		phone: phone ?? null,
		email: email ?? null,
	};
}
