import Type from "typebox";
import { Id, Instant, ReplyObject } from "../../partners/http/text.ts";
import { SHIPMENT_STATUSES } from "./shipment.ts";

const OrNull = <S extends ReturnType<typeof Type.String>>(schema: S, description?: string) =>
	Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const ShipmentItem = ReplyObject("Shipment", {
	shipment_id: Id(),
	status: Type.Enum([...SHIPMENT_STATUSES], { type: "string" }),
	brand_code: OrNull(Type.String()),
	orders: Type.Array(
		Type.Object({
			order_id: Id(),
			ref: OrNull(Type.String(), "Null for an order of another partner of the brand."),
			external_order_id: OrNull(Type.String()),
		}),
		{ description: "The orders in it; the first decides the address." },
	),
	combined: Type.Boolean({ description: "Several orders are in it." }),
	carrier_code: OrNull(Type.String()),
	service_code: OrNull(Type.String()),
	tracking_number: OrNull(Type.String()),
	tracking_url: OrNull(Type.String(), "Null if the carrier has no known tracking page."),
	items: Type.Array(
		Type.Object({
			order_id: Id(),
			sku: Type.String(),
			qty: Type.Integer({ description: "Kits." }),
			lots: Type.Array(
				Type.Object({
					formula_id: Id(),
					batch_number: Type.String(),
					units: Type.Integer({ description: "Units." }),
				}),
			),
		}),
		{ description: "Its contents; before it ships, everything that is left to ship of its orders." },
	),
	ship_to: Type.Union(
		[
			Type.Object({
				city: Type.String(),
				state: OrNull(Type.String()),
				postal_code: Type.String(),
				country: Type.String(),
			}),
			Type.Null(),
		],
		{ description: "Null for orders of another partner of the brand." },
	),
	created_at: Instant(),
	label_created_at: OrNull(Instant()),
	shipped_at: OrNull(Instant()),
	voided_at: OrNull(Instant("When the shipment was voided because it never left.")),
	modified_at: Instant(),
	version: Type.Integer({ description: "Grows with each change." }),
});
