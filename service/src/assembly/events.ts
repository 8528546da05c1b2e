import Type, { type TSchema } from "typebox";
import { Day, Id, Instant } from "../partners/http/text.ts";
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
const Shipped = Type.Object({
	...ORDER,
	final: Type.Boolean({ description: "Whether nothing of the order is left to be shipped." }),
	shipment: Type.Object(
		{
			shipment_id: Id(),
			carrier_code: OrNull(Type.String()),
			service_code: OrNull(Type.String()),
			tracking_number: OrNull(Type.String()),
			tracking_url: OrNull(text("The carrier's tracking page.")),
			shipped_at: Instant(),
			items: Type.Array(Item, { description: "What the shipment contains of this order." }),
			combined_order_ids: Type.Array(Type.String(), {
				description: "The orders in the same box, this one included; empty when it is alone.",
			}),
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
const Test = Type.Object({ endpoint_id: Id() });

const event = (type: EventType, title: string, data: TSchema) =>
	Type.Object(
		{
			type: Type.Literal(type, { description: "The type of the event." }),
			timestamp: Instant("When it happened."),
			version: Day("The API date of the body."),
			environment: Type.Enum(["live", "sandbox"], { type: "string" }),
			data,
		},
		{ title },
	);

/** The events that are posted to a partner's endpoints: for each type the schema of the body and when it is sent. */
export const EVENTS = {
	"order.shipped": {
		summary: "A shipment of an order left",
		schema: event("order.shipped", "OrderShippedEvent", Shipped),
	},
	"order.held": { summary: "An order was put on hold", schema: event("order.held", "OrderHeldEvent", Held) },
	"webhook.test": { summary: "A test was requested", schema: event("webhook.test", "WebhookTestEvent", Test) },
} as const satisfies { readonly [type in EventType]: DocumentedEvent };

export interface DocumentedEvent {
	readonly summary: string;
	readonly schema: TSchema;
}
