import Type, { type TSchema } from "typebox";
import { Day, Id, Instant, ReplyObject } from "../partners/http/text.ts";
import { type EventType, HOLD_REASONS } from "../partners/webhooks/event.ts";

const OrNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const text = (description: string) => Type.String({ description });

const ORDER = {
	order_id: Id(),
	ref: text("The reference that the order was placed under."),
	external_order_id: OrNull(Type.String()),
	order_status: text("The order's status after the change."),
	order_version: Type.Integer({
		description:
			"Grows with each change of the order: of two events of one order, the one with the higher number is newer.",
	}),
};
const Lot = Type.Object({
	batch_number: Type.String(),
	units: Type.Integer({ description: "Units of the lot in the shipment." }),
	verify_url: Type.String(),
});
const Item = Type.Object({
	sku: Type.String(),
	qty: Type.Integer({ description: "How many of the SKU; for a kit, the number of kits." }),
	lots: Type.Array(Lot),
});
const PARCEL = {
	shipment_id: Id(),
	carrier_code: OrNull(Type.String()),
	service_code: OrNull(Type.String()),
	tracking_number: OrNull(Type.String()),
	tracking_url: OrNull(text("The carrier's tracking page.")),
};
const combined_order_ids = Type.Array(Type.String(), {
	description: "The orders in the same box, this one included; empty when it is alone.",
});
const Shipped = Type.Object({
	...ORDER,
	final: Type.Boolean({ description: "Whether nothing of the order is left to be shipped." }),
	shipment: Type.Object(
		{
			...PARCEL,
			shipped_at: Instant(),
			items: Type.Array(Item, { description: "What the shipment contains of this order." }),
			combined_order_ids,
		},
		{ description: "The shipment that left." },
	),
});
const Held = Type.Object({
	...ORDER,
	reason: Type.Enum([...HOLD_REASONS], { type: "string", description: "Why the order is on hold." }),
	detail: OrNull(text("More about the reason, in words; or null.")),
	action: Type.Enum(["partner", "manufacturer"], { type: "string", description: "Who can end the hold on the order." }),
});
const Cancelled = Type.Object({
	...ORDER,
	by: Type.Enum(["partner", "manufacturer"], { type: "string", description: "Who cancelled it." }),
	detail: OrNull(text("The reason that was given, in words; or null.")),
});
const Released = Type.Object(ORDER);
const LabelCreated = Type.Object({
	...ORDER,
	shipment: Type.Object(
		{ ...PARCEL, combined_order_ids, label_created_at: Instant("When the label was recorded.") },
		{ description: "The shipment, which has not left yet." },
	),
});
const Voided = Type.Object({
	...ORDER,
	shipment: Type.Object(
		{ ...PARCEL, combined_order_ids, voided_at: Instant("When it was voided.") },
		{ description: "The shipment with the label that no longer counts." },
	),
});
const Impaired = Type.Object({
	reservation_token: Id(),
	external_ref: OrNull(text("The reference of the reserve; or null.")),
	expires_at: Instant("When the hold ends."),
	items: Type.Array(
		Type.Object({
			sku: Type.String(),
			brand_code: OrNull(Type.String()),
			requested_qty: Type.Integer({ description: "How many of the SKU were reserved." }),
			reserved_qty: Type.Integer({ description: "How many of them are still whole." }),
		}),
		{ description: "Every line of the hold." },
	),
});
const Retired = Type.Object({
	product: Type.Object({ slug: Type.String(), name: Type.String() }),
	batch_number: text("The batch number on the label."),
	verify_url: text("The page on which a buyer can check the lot."),
});
const Test = Type.Object({ endpoint_id: Id() });

/** For each type of event: the title of its body, when it is sent, and its data. */
const TYPES: { readonly [type in EventType]: readonly [title: string, summary: string, data: TSchema] } = {
	"order.shipped": ["OrderShippedEvent", "A shipment of an order left", Shipped],
	"order.held": ["OrderHeldEvent", "An order was put on hold", Held],
	"order.cancelled": ["OrderCancelledEvent", "An order was cancelled", Cancelled],
	"order.released": ["OrderReleasedEvent", "An order is no longer on hold", Released],
	"shipment.label_created": ["ShipmentLabelCreatedEvent", "A shipment has a label, and has not left yet", LabelCreated],
	"shipment.voided": ["ShipmentVoidedEvent", "A shipment, or its label, was voided", Voided],
	"hold.impaired": ["HoldImpairedEvent", "A hold lost units that could not be replaced", Impaired],
	"certificate.retired": ["CertificateRetiredEvent", "A certificate was withdrawn", Retired],
	"webhook.test": ["WebhookTestEvent", "A test was requested", Test],
};

const bodyOf = (type: string, title: string, data: TSchema): TSchema =>
	ReplyObject(title, {
		type: Type.Literal(type, { description: "The type of the event." }),
		timestamp: Instant("When it happened."),
		version: Day("The API date of the body."),
		environment: Type.Enum(["live", "sandbox"], { type: "string" }),
		data,
	});

/** The events that are posted to a partner's endpoints: for each type the schema of the body and when it is sent. */
export const EVENTS = Object.fromEntries(
	Object.entries(TYPES).map(([type, [title, summary, data]]) => [type, { summary, schema: bodyOf(type, title, data) }]),
);
