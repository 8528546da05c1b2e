import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import { byBatch } from "./by-batch.ts";
import type { Links } from "./order-book.ts";
import { type BoxedOrder, type Contents, type RecordPart, type ShipmentRecord, shippedKits } from "./order-record.ts";
import type { PackedItem, PackedLot } from "./shipment.ts";
import type { ShipmentItem } from "./shipment-contract.ts";

/** A box as shown to partners of its brand. */
export type ShipmentReply = Static<typeof ShipmentItem>;
/** A box whose orders belong to the reader. */
export type OwnShipmentReply = Omit<ShipmentReply, "orders" | "ship_to"> & {
	readonly orders: (ShipmentReply["orders"][number] & { readonly ref: string })[];
	readonly ship_to: NonNullable<ShipmentReply["ship_to"]>;
};

export function shipmentReply({ shipment, brandCode, orders }: ShipmentRecord, links: Links): OwnShipmentReply {
	const { carrierCode, trackingNumber } = shipment;
	const { city, state, postal_code, country } = must(orders[0], "the first order of a box").shipTo;
	return {
		shipment_id: shipment.shipmentId,
		status: shipment.status,
		brand_code: brandCode,
		orders: orders.map(({ orderId, ref, externalOrderId }) => ({
			order_id: orderId,
			ref,
			external_order_id: externalOrderId,
		})),
		combined: orders.length > 1,
		carrier_code: carrierCode,
		service_code: shipment.serviceCode,
		tracking_number: trackingNumber,
		tracking_url: links.trackingUrl(carrierCode, trackingNumber),
		items: itemsOf({ shipment, orders }).map(({ order_id, sku, qty, lots }) => ({
			order_id,
			sku,
			qty,
			lots: byBatch(lots),
		})),
		ship_to: { city, state: state ?? null, postal_code, country },
		created_at: toRfc3339(shipment.createdAt),
		label_created_at: rfc3339OrNull(shipment.labelCreatedAt),
		shipped_at: rfc3339OrNull(shipment.shippedAt),
		voided_at: rfc3339OrNull(shipment.voidedAt),
		modified_at: toRfc3339(shipment.modifiedAt),
		version: shipment.version,
	};
}

/** The contents of a box; before it ships, everything that its orders still have to ship. */
export const itemsOf = ({ shipment, orders }: Pick<ShipmentRecord, "shipment" | "orders">): readonly BoxItem[] =>
	shipment.items ?? orders.flatMap(itemsLeft);

type BoxItem = Omit<PackedItem, "line">;

function itemsLeft({ orderId, contents }: BoxedOrder): BoxItem[] {
	const { lines, parts }: Contents = must(contents, `what is in order ${orderId}`);
	const items: BoxItem[] = [];
	for (const [line, { sku, qty, components }] of lines.entries()) {
		const own = parts.filter((part) => part.line === line);
		const left = qty - shippedKits(own, components);
		if (left > 0) items.push({ order_id: orderId, sku, qty: left, lots: own.filter(isWaiting).map(toLot) });
	}
	return items;
}

const isWaiting = ({ state }: RecordPart): boolean => state === "allocated";

const toLot = ({ fgId, formulaId, batchNumber, units }: RecordPart): PackedLot => ({
	fg_id: fgId,
	formula_id: formulaId,
	batch_number: batchNumber,
	units,
});
