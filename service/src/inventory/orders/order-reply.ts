import type { Static } from "typebox";
import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import { type HoldLine, unitsIn } from "../holds/hold.ts";
import type { PlaceOrder } from "./contract.ts";
import { type Customer, isCancellable } from "./order.ts";
import type { Links } from "./order-book.ts";
import { type Contents, type OrderRecord, type RecordPart, shippedKits } from "./order-record.ts";
import { shipmentReply } from "./shipment-reply.ts";

export type OrderReply = Static<(typeof PlaceOrder)["replies"][201]>;
type OrderItem = OrderReply["items"][number];
type OrderComponent = OrderItem["components"][number];

/** The reply of every operation on one order. Pure: the same record gives the same bytes wherever it was read. */
export function orderReply({ order, brandCode, contents, shipments }: OrderRecord, links: Links): OrderReply {
	return {
		order_id: order.orderId,
		ref: order.ref,
		external_order_id: order.externalOrderId,
		status: order.status,
		version: order.version,
		brand_code: brandCode,
		environment: order.environment,
		reservation_token: order.reservationToken,
		cancellable: isCancellable(order.status, unitsIn("shipped", contents.parts)),
		hold_reason: order.holdReason,
		customer: customerReply(order.customer),
		...(order.customerErasedAt === null ? {} : { customer_erased_at: toRfc3339(order.customerErasedAt) }),
		service_level: order.serviceLevel,
		note: order.note,
		items: contents.lines.map((line, index) => itemReply(contents, line, index)),
		shipments: shipments.map((shipment) => shipmentReply(shipment, links)),
		placed_at: toRfc3339(order.placedAt),
		held_at: rfc3339OrNull(order.heldAt),
		picked_at: rfc3339OrNull(order.pickedAt),
		shipped_at: rfc3339OrNull(order.shippedAt),
		cancelled_at: rfc3339OrNull(order.cancelledAt),
		updated_at: toRfc3339(order.updatedAt),
	};
}

/** The customer with a fixed order of properties. */
function customerReply({ name, email, phone, ship_to }: Customer): OrderReply["customer"] {
	const { name: to, company, line1, line2, city, state, postal_code, country } = ship_to;
	return {
		name,
		...(email === undefined ? {} : { email }),
		...(phone === undefined ? {} : { phone }),
		ship_to: {
			...(to === undefined ? {} : { name: to }),
			...(company === undefined ? {} : { company }),
			line1,
			...(line2 === undefined ? {} : { line2 }),
			city,
			...(state === undefined ? {} : { state }),
			postal_code,
			country,
		},
	};
}

function itemReply({ parts }: Contents, { sku, brand_code, qty, components }: HoldLine, line: number): OrderItem {
	const own = parts.filter((part) => part.line === line);
	return {
		sku,
		brand_code,
		qty,
		shipped_qty: shippedKits(own, components),
		components: components.map(({ formula_id, per_kit }) => ({
			formula_id,
			per_kit,
			units: qty * per_kit,
			lots: lotsOf(own.filter(({ formulaId }) => formulaId === formula_id)),
		})),
	};
}

/** Merges parts of one lot, of which some may have shipped. */
function lotsOf(parts: readonly RecordPart[]): OrderComponent["lots"] {
	const lots = new Map<string, OrderComponent["lots"][number]>();
	for (const { fgId, batchNumber, units } of parts) {
		const known = lots.get(fgId);
		if (known) known.units += units;
		else lots.set(fgId, { fg_id: fgId, batch_number: batchNumber, units });
	}
	return [...lots.values()];
}
