import Type from "typebox";
import { DRY_RUN, DRY_RUN_REPLY } from "../../partners/admin/headers.ts";
import { adminOperation, adminWrite } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { HOLD_REASONS } from "../../partners/webhooks/event.ts";
import { edgesOf, MAX_NAME, NO_ORDER } from "../orders/admin-contract.ts";
import { COMBINED_SHIPMENT, ORDER, SHIPMENT } from "../orders/examples.ts";
import { ORDER_STATUSES, SERVICE_LEVELS } from "../orders/order.ts";
import { SHIPMENT_STATUSES, WAITING_STATUSES } from "../orders/shipment.ts";
import { ShipmentItem } from "../orders/shipment-contract.ts";
import { ORDER_NAMES } from "../stock/admin-contract.ts";

/** Number of orders that one box may contain (settlements, section 7). */
const COMBINED = { min: 2, max: 20 } as const;
/** The ways to name an order. */
export const NAMED = "id, or Idempotency-Key or external id if no other order has it";

const ORDER_FIELDS = {
	...ORDER_NAMES,
	status: Type.Enum([...ORDER_STATUSES], { description: "As its partner sees it." }),
};
const Customer = Type.String({ description: "The customer's name." });
const ServiceLevel = Type.Enum([...SERVICE_LEVELS], { description: "How fast it is to ship." });

const ShipTo = Type.Object(
	{
		city: Type.String({ description: "Where it goes." }),
		state: OrNull(Type.String({ description: "Of the address." })),
		postal_code: Type.String({ description: "Of the address." }),
		country: Type.String({ description: "As a two-letter code." }),
	},
	{ description: "Of the first order." },
);
const BOX_FIELDS = { ...ShipmentItem.properties, ship_to: ShipTo };

export const OperatorBox = ReplyObject("OperatorBox", {
	...BOX_FIELDS,
	orders: Type.Array(Type.Object(ORDER_FIELDS), { description: "The orders in it; the first decides the address." }),
});
const QueuedBoxItem = ReplyObject("QueuedBox", {
	...BOX_FIELDS,
	service_level: ServiceLevel,
	waiting_since: Instant("When the oldest order in it was placed."),
	orders: Type.Array(
		Type.Object({
			...ORDER_FIELDS,
			partner: Type.String({ description: "Who placed it." }),
			customer: Customer,
			hold_reason: OrNull(Type.Enum([...HOLD_REASONS], { description: "Why it is on hold; null: it is not." })),
			hold_detail: OrNull(Type.String({ description: "The reason in words." })),
			note: OrNull(Type.String({ description: "The note for the warehouse." })),
			to_pick: Type.Boolean({ description: "It waits to be picked, for the first time or again." }),
			pick_again: Type.Boolean({
				description:
					"It was picked, or its box was labelled, before its lots changed, it was on hold, or another order was cancelled out of its box: unpack its box.",
			}),
		}),
		{ description: "The orders in it; the first decides the address." },
	),
});
const Combinable = ReplyObject("CombinableOrders", {
	brand_code: OrNull(Type.String({ description: "The brand of all of them; null: none." })),
	partner: Type.String({ description: "Who placed them." }),
	service_level: ServiceLevel,
	ship_to: ShipTo,
	orders: Type.Array(
		Type.Object({
			...ORDER_NAMES,
			shipment_id: Id("The box in which it waits alone."),
			customer: Customer,
			placed_at: Instant("When it was placed."),
		}),
		{ description: "At least two, the oldest first." },
	),
});

const [BOXED] = SHIPMENT.orders;
export const BOX_EXAMPLE = { ...SHIPMENT, orders: [{ ...BOXED, status: "placed" }] } as const;
const QUEUED_EXAMPLE = {
	...SHIPMENT,
	service_level: "standard",
	waiting_since: ORDER.placed_at,
	orders: [
		{
			...BOXED,
			status: "placed",
			partner: "North Web Shop",
			customer: ORDER.customer.name,
			hold_reason: null,
			hold_detail: null,
			note: null,
			to_pick: true,
			pick_again: false,
		},
	],
} as const;
const COMBINED_EXAMPLE = {
	...COMBINED_SHIPMENT,
	orders: COMBINED_SHIPMENT.orders.map((order) => ({ ...order, status: "placed" })),
};
const COMBINABLE_EXAMPLE = {
	brand_code: SHIPMENT.brand_code,
	partner: "North Web Shop",
	service_level: "standard",
	ship_to: SHIPMENT.ship_to,
	orders: COMBINED_SHIPMENT.orders.map((order) => ({
		...order,
		shipment_id: SHIPMENT.shipment_id,
		customer: ORDER.customer.name,
		placed_at: ORDER.placed_at,
	})),
};
const BRAND = Type.Optional(
	Text({ min: 1, max: MAX_NAME, description: "Only of this brand; those of the sandbox are shown for SANDBOX alone." }),
);
const NO_BRAND = 'There is no brand "ACEM": did you mean "ACME"?';

export const ListQueue = adminOperation({
	id: "list_queue",
	method: "GET",
	path: "/admin/api/v1/queue",
	summary: "The queue of boxes",
	description: "Boxes that wait to be shipped: overnight before expedited before standard, then the oldest first.",
	query: pageQuery({
		brand_code: BRAND,
		status: Type.Optional(Type.Enum([...WAITING_STATUSES], { description: "Only boxes of this status." })),
	}),
	replies: { 200: pageOf(QueuedBoxItem, "QueuedBoxes") },
	examples: {
		replies: { 200: { items: [QUEUED_EXAMPLE], next_cursor: null } },
		errors: { not_found: NO_BRAND },
	},
});

export const ListBoxes = adminOperation({
	id: "list_boxes",
	method: "GET",
	path: "/admin/api/v1/boxes",
	summary: "List boxes",
	description: "Newest first, of every partner; those of the sandbox only if they are asked for.",
	query: pageQuery({
		q: Type.Optional(
			Text({
				min: 1,
				max: MAX_NAME,
				description:
					"Only boxes with this id or tracking number, or with an order of this id, reference or external id (with or without a `#` before it), or with the text in the customer's name.",
			}),
		),
		brand_code: BRAND,
		status: Type.Optional(Type.Enum([...SHIPMENT_STATUSES], { description: "Only boxes of this status." })),
		order: Type.Optional(Text({ min: 1, max: MAX_NAME, description: `Only the boxes of this order: ${NAMED}.` })),
	}),
	replies: { 200: pageOf(OperatorBox, "OperatorBoxes") },
	examples: {
		replies: { 200: { items: [BOX_EXAMPLE], next_cursor: null } },
		errors: { not_found: NO_BRAND, order_not_found: NO_ORDER },
	},
});

export const GetBox = adminOperation({
	id: "get_box",
	method: "GET",
	path: "/admin/api/v1/boxes/:id",
	summary: "Read a box",
	description: "With its orders and its contents.",
	params: Type.Object({ id: GivenId("The shipment_id.") }),
	conditional: true,
	replies: { 200: OperatorBox },
	examples: {
		params: { id: SHIPMENT.shipment_id },
		replies: { 200: BOX_EXAMPLE },
		errors: { not_found: `There is no shipment ${SHIPMENT.shipment_id}.` },
	},
});

export const ListCombinable = adminOperation({
	id: "list_combinable",
	method: "GET",
	path: "/admin/api/v1/boxes/combinable",
	summary: "List orders that one box could have",
	description:
		"Placed orders of one key that go to the same address by the same service level, each alone in a box without a label. The oldest 10,000 open orders are compared.",
	query: pageQuery({ brand_code: BRAND }),
	replies: { 200: pageOf(Combinable, "CombinableOrdersPage") },
	examples: {
		replies: { 200: { items: [COMBINABLE_EXAMPLE], next_cursor: null } },
		errors: { not_found: NO_BRAND },
	},
});

export const CombineBoxes = adminWrite({
	id: "combine_boxes",
	method: "POST",
	path: "/admin/api/v1/boxes/combine",
	summary: "Put several orders in one box",
	description:
		"The orders must be of one key, placed, go to the same address by the same service level, and have no label yet. The box of the first is used. If a label platform has them, it must agree first. For orders that already share a box, that box is returned.",
	body: RequestObject("CombineBoxesRequest", {
		order_ids: Type.Array(Text({ min: 1, max: MAX_NAME }), {
			minItems: COMBINED.min,
			maxItems: COMBINED.max,
			description: `The orders, each by its ${NAMED}.`,
		}),
		...DRY_RUN,
	}),
	replies: { 200: ReplyObject("CombinedBox", { ...OperatorBox.properties, ...DRY_RUN_REPLY }) },
	examples: {
		request: { order_ids: ["cart-1001", "cart-1002"] },
		replies: { 200: COMBINED_EXAMPLE },
		errors: {
			...edgesOf(`Order ${ORDER.external_order_id} is picked: only orders that are placed can be combined.`),
			shipstation_error: "The label platform did not confirm the combination. Nothing was changed: try again.",
		},
	},
});
