import type { LabelAddress, LabelBox } from "../label-platform.ts";
import { externalIdOf } from "./external-id.ts";

/** The published schema requires a phone number; used if the order has none. */
export const NO_PHONE = "000-000-0000";

/**
 * The body of `POST /v2/shipments` for a box. Each item names its order, so that items can still be assigned after a
 * box is split or merged on the platform.
 */
export function theirCreation(box: LabelBox): { readonly [field: string]: unknown } {
	const [primary] = box.orders;
	return {
		validate_address: "validate_only",
		external_shipment_id: externalIdOf(primary.orderId, box.generation),
		create_sales_order: true, // required by the platform for combining
		shipment_status: "pending",
		notes_from_buyer: notesOf(box),
		ship_to: theirAddress(box.shipTo),
		items: box.items.map(({ orderId, sku, name, qty }) => ({
			name,
			sku,
			quantity: qty,
			external_order_id: orderId,
			external_order_item_id: `${orderId}:${sku}`,
		})),
	};
}

/** The published request has no field for service level or reference, so the packer finds them here. */
function notesOf({ orders, service, note }: LabelBox): string {
	const references = orders.map(({ ref }) => ref).join(", ");
	const lines = [`Service: ${service}.`, `Reference: ${references}.`];
	return (note === null ? lines : [...lines, note]).join(" ");
}

function theirAddress(to: LabelAddress): { readonly [field: string]: string } {
	return {
		name: to.name,
		phone: to.phone ?? NO_PHONE,
		address_line1: to.line1,
		city_locality: to.city,
		state_province: to.state ?? to.city, // required by the published schema even for countries without states
		postal_code: to.postalCode,
		country_code: to.country,
		address_residential_indicator: "unknown",
		...(to.company === null ? {} : { company_name: to.company }),
		...(to.line2 === null ? {} : { address_line2: to.line2 }),
		...(to.email === null ? {} : { email: to.email }),
	};
}
