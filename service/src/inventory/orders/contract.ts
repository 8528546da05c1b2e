import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { examplePage, listOf, listQuery } from "../../partners/http/list.ts";
import { operation } from "../../partners/http/operation.ts";
import { GivenId, Id, Instant, ReplyObject, RequestObject, Text, VISIBLE_IN_A_PATH } from "../../partners/http/text.ts";
import { HOLD_REASONS } from "../../partners/webhooks/event.ts";
import { BRAND_ERRORS } from "../stock/contract.ts";
import { COMBINED_SHIPMENT, ORDER, ORDER_ID, SHIPMENT, TOKEN } from "./examples.ts";
import { FIND_MESSAGES } from "./find-order.ts";
import { ORDER_STATUSES, SERVICE_LEVELS } from "./order.ts";
import { PLACE_MESSAGES } from "./place.ts";
import { SHIPMENT_STATUSES } from "./shipment.ts";
import { ShipmentItem } from "./shipment-contract.ts";

/** Maximum characters of an Idempotency-Key (settlements, section 6). */
const MAX_IDEMPOTENCY_KEY = 200;
/** Maximum code points of a line of an address, a name or a reference. */
const MAX_LINE = 200;
/** Maximum code points of a note to the warehouse. */
const MAX_NOTE = 1_000;
/** Maximum code points of a reason. */
const MAX_REASON = 500;
const Line = (description?: string) => Text({ min: 1, max: MAX_LINE, ...(description ? { description } : {}) });
const OptionalLine = (description?: string) => Type.Optional(Line(description));
const OrNull = <S extends ReturnType<typeof Type.String>>(schema: S) => Type.Union([schema, Type.Null()]);
const words = <const T extends string>(of: readonly T[], description?: string) =>
	Type.Enum([...of], description === undefined ? { type: "string" } : { type: "string", description });

const ShipToRequest = Type.Object(
	{
		name: OptionalLine("Who receives the parcel; the customer's name when absent."),
		company: OptionalLine("Of the address."),
		line1: Line("Street and number."),
		line2: OptionalLine("What else the address needs."),
		city: Line("Of the address."),
		state: OptionalLine("Required for US, CA and AU."),
		postal_code: Line("As the country writes it."),
		country: Text({
			min: 2,
			max: 2,
			example: "US",
			description: "The two-letter country code (ISO 3166-1) in capitals, such as `US`.",
		}),
	},
	{ additionalProperties: false, description: "Where the parcel goes." },
);

export const CustomerRequest = Type.Object(
	{
		name: Line("Who ordered."),
		email: OptionalLine("For the carrier."),
		phone: OptionalLine("For the carrier."),
		ship_to: ShipToRequest,
	},
	{ additionalProperties: false, title: "Customer", description: "Who ordered, and where it goes." },
);

const OrderRequest = RequestObject("OrderRequest", {
	reservation_token: GivenId("From the reserve."),
	external_order_id: Type.Optional(Text({ min: 1, max: MAX_LINE, description: "Your own id of the order." })),
	customer: CustomerRequest,
	service_level: Type.Optional(words(SERVICE_LEVELS, "`standard` when absent.")),
	note: Type.Optional(Text({ max: MAX_NOTE, description: "For the warehouse." })),
});

const OrderLot = ReplyObject("OrderLot", {
	fg_id: Id(),
	batch_number: Type.String(),
	units: Type.Integer({ description: "Units." }),
});

const OrderComponent = ReplyObject("OrderComponent", {
	formula_id: Id(),
	per_kit: Type.Integer(),
	units: Type.Integer({ description: "Units that the order needs of it." }),
	lots: Type.Array(OrderLot, {
		description: "The lots of its units, or from which they were shipped; fewer units while some are missing.",
	}),
});

const OrderItem = ReplyObject("OrderItem", {
	sku: Type.String(),
	brand_code: OrNull(Type.String()),
	qty: Type.Integer({ description: "Kits." }),
	shipped_qty: Type.Integer({ description: "Kits that have been shipped whole." }),
	components: Type.Array(OrderComponent),
});

export const ORDER_FIELDS = {
	order_id: Id(),
	ref: Type.String({ description: "The Idempotency-Key that it was placed under." }),
	external_order_id: OrNull(Type.String()),
	status: words(ORDER_STATUSES),
	version: Type.Integer({ description: "Grows with each change." }),
	brand_code: OrNull(Type.String()),
	environment: words(["live", "sandbox"]),
	reservation_token: Id(),
	cancellable: Type.Boolean(),
	hold_reason: Type.Union([words(HOLD_REASONS), Type.Null()], {
		description: "Why the order is on hold, or null.",
	}),
	customer: Type.Object(
		{
			name: Type.String(),
			email: Type.Optional(Type.String()),
			phone: Type.Optional(Type.String()),
			ship_to: Type.Object({
				name: Type.Optional(Type.String()),
				company: Type.Optional(Type.String()),
				line1: Type.String(),
				line2: Type.Optional(Type.String()),
				city: Type.String(),
				state: Type.Optional(Type.String()),
				postal_code: Type.String(),
				country: Type.String(),
			}),
		},
		{
			description:
				"As it was sent. Once it was erased, its texts are empty, the optional ones are absent, and only the country is left.",
			title: "OrderCustomer",
		},
	),
	customer_erased_at: Type.Optional(
		Instant("When the customer's data and the note were erased; absent: they were not."),
	),
	service_level: words(SERVICE_LEVELS),
	note: OrNull(Type.String()),
	items: Type.Array(OrderItem, { description: "One for each line of the reserve, in its order." }),
	shipments: Type.Array(ShipmentItem, { description: "The boxes it is or was in." }),
	placed_at: Instant(),
	held_at: OrNull(Instant("When the order was put on hold.")),
	picked_at: OrNull(Instant()),
	shipped_at: OrNull(Instant("When the last of it was shipped.")),
	cancelled_at: OrNull(Instant()),
	updated_at: Instant(),
};
const OrderData = ReplyObject("Order", ORDER_FIELDS);

const IDEMPOTENCY_KEY = Type.String({
	pattern: VISIBLE_IN_A_PATH,
	maxLength: MAX_IDEMPOTENCY_KEY,
	description:
		"Your name for this order: the cart's id, for example. Sending it again returns the order that it placed.",
});
const REPLAYED = "`true` when the order had been placed before.";
const PLACE_EXAMPLES = {
	...PLACE_MESSAGES,
	invalid_customer: "/customer/ship_to/state: required for addresses in US.",
	hold_race: "The hold changed during this request: send the request again.",
	unresolved_stack: 'The kit "CALM-DUO" has a formula that is archived: release the hold and reserve without it.',
} as const;
const PLACE_EXAMPLE = {
	reservation_token: TOKEN,
	external_order_id: "shop-1001",
	customer: ORDER.customer,
	service_level: "standard",
};

export const PlaceOrder = operation({
	id: "placeOrder",
	method: "POST",
	path: "/api/v1/orders",
	scope: "atp.orders",
	summary: "Turn a hold into an order that the manufacturer ships",
	description:
		"The order, its units and its place in the queue for labels are created together or not at all. Sending the same Idempotency-Key again returns the order that it placed, in its current state; only a success binds the key. No carrier is called while you wait.",
	headers: { "Idempotency-Key": { schema: IDEMPOTENCY_KEY, missing: "idempotency_required" } },
	body: OrderRequest,
	codes: { "/customer": "invalid_customer" },
	replies: { 201: OrderData, 200: OrderData },
	replyHeaders: { "Idempotent-Replayed": REPLAYED },
	examples: {
		request: PLACE_EXAMPLE,
		replies: { 201: ORDER, 200: ORDER },
		errors: { idempotency_required: "Idempotency-Key: this header is required.", ...PLACE_EXAMPLES },
	},
});

export const Confirm = operation({
	id: "confirm",
	method: "POST",
	path: "/api/v1/confirm",
	scope: "atp.orders",
	summary: "Place an order from a hold (deprecated: POST /api/v1/orders)",
	description:
		"Does what POST /api/v1/orders does. Without an Idempotency-Key the reservation_token serves as one. The headers of every success give the time from which it is deprecated and the time until which it works.",
	headers: { "Idempotency-Key": { schema: IDEMPOTENCY_KEY, missing: null } },
	body: OrderRequest,
	codes: { "/customer": "invalid_customer" },
	replies: { 201: OrderData, 200: OrderData },
	replyHeaders: {
		"Idempotent-Replayed": REPLAYED,
		Deprecation: "The time from which it is deprecated, as in RFC 9745.",
		Sunset: "The time until which it works, as in RFC 8594.",
		Link: "The operation to use instead.",
	},
	examples: { request: PLACE_EXAMPLE, replies: { 201: ORDER, 200: ORDER }, errors: PLACE_EXAMPLES },
});

const RefText = Text({
	min: 1,
	max: MAX_IDEMPOTENCY_KEY,
	description: "The order_id, or the Idempotency-Key it was placed under.",
});
const OrderRef = Closed({ ref: RefText });

export const GetOrder = operation({
	id: "getOrder",
	method: "GET",
	path: "/api/v1/orders/:ref",
	scope: "atp.orders",
	summary: "An order that this key placed",
	description: "By its order_id or by the Idempotency-Key it was placed under.",
	params: OrderRef,
	conditional: true,
	replies: { 200: OrderData },
	examples: { params: { ref: "cart-1001" }, replies: { 200: ORDER }, errors: FIND_MESSAGES },
});

export const ListOwnOrders = operation({
	id: "listOrders",
	method: "GET",
	path: "/api/v1/orders",
	scope: "atp.orders",
	summary: "The orders that this key placed",
	description:
		"In the order of their changes: keep the last cursor and continue with it later to miss no change. An order that changed appears again. With a filter, a page may have fewer entries than `limit`, or none, although `has_more` is true: continue with its cursor.",
	query: listQuery({
		external_order_id: Type.Optional(
			Text({ min: 1, max: MAX_LINE, description: "Only orders with this id of yours." }),
		),
		status: Type.Optional(words(ORDER_STATUSES, "Only orders of this status.")),
		placed_after: Type.Optional(Text({ description: "RFC 3339; only orders placed after it." })),
	}),
	conditional: true,
	replies: { 200: listOf(OrderData, { title: "OrderPage", asOf: "When the orders were read." }) },
	examples: {
		request: { placed_after: "2026-09-06T00:00:00Z", limit: 100 },
		replies: { 200: examplePage(ORDER) },
	},
});

export const CancelOrder = operation({
	id: "cancelOrder",
	method: "POST",
	path: "/api/v1/orders/:ref/cancel",
	scope: "atp.orders",
	summary: "Cancel an order before it is picked",
	description:
		"Its units go back to the lots they came from. Cancelling a cancelled order returns the same reply. If a label platform already has the order, it must agree first.",
	params: OrderRef,
	body: RequestObject("CancelRequest", {
		reason: Type.Optional(Text({ max: MAX_REASON, description: "For the operator." })),
	}),
	replies: { 200: OrderData },
	examples: {
		params: { ref: "cart-1001" },
		request: { reason: "The customer changed their mind." },
		replies: {
			200: { ...ORDER, order_id: ORDER_ID, status: "cancelled", cancellable: false, cancelled_at: ORDER.updated_at },
		},
		errors: {
			...FIND_MESSAGES,
			order_not_cancellable: "This order is picked and can no longer be cancelled: it needs a return authorization.",
			shipstation_error: "The label platform did not confirm the cancellation. Nothing was changed: try again.",
		},
	},
});

/** Number of orders that one box may contain (settlements, section 7). */
const COMBINED = { min: 2, max: 20 } as const;

export const CombineShipments = operation({
	id: "combineShipments",
	method: "POST",
	path: "/api/v1/shipments/combine",
	scope: "atp.shipments.combine",
	summary: "Ship several of this key's orders in one box",
	description:
		"The orders must be placed, go to the same receiver and address by the same service level, and have no label yet. Each keeps its own status and has its own event. Sending the same set again returns the same box.",
	body: RequestObject("CombineRequest", {
		order_refs: Type.Array(RefText, {
			minItems: COMBINED.min,
			maxItems: COMBINED.max,
			description: "Each by its order_id, or by the Idempotency-Key it was placed under.",
		}),
		primary_ref: Type.Optional(
			Text({
				min: 1,
				max: MAX_IDEMPOTENCY_KEY,
				description: "One of `order_refs`: the order whose box is used; the first when absent.",
			}),
		),
	}),
	replies: { 200: ShipmentItem },
	statuses: { wrong_state: 409 },
	examples: {
		request: { order_refs: ["cart-1001", "cart-1002"], primary_ref: "cart-1001" },
		replies: { 200: COMBINED_SHIPMENT },
		errors: {
			...FIND_MESSAGES,
			wrong_state: `Order ${ORDER.external_order_id} is picked: only orders that are placed can be combined.`,
			shipstation_error: "The label platform did not confirm the combination. Nothing was changed: try again.",
		},
	},
});

export const ListShipments = operation({
	id: "listShipments",
	method: "GET",
	path: "/api/v1/shipments",
	scope: "atp.shipments",
	summary: "The queue for labels, and what was shipped, of this key's brand",
	description:
		"In the order of changes: keep the last cursor and continue with it later to miss no change. A box that changed appears again.",
	query: listQuery({
		modified_since: Type.Optional(
			Text({
				description:
					"RFC 3339; boxes changed at or after it. Pass the last `as_of`, or the largest `modified_at` seen.",
			}),
		),
		status: Type.Optional(words(SHIPMENT_STATUSES, "Only boxes in this state.")),
		order_ref: Type.Optional(RefText),
		brand_code: Type.Optional(Text({ min: 1, description: "Required of a key that is bound to no brand." })),
	}),
	conditional: true,
	replies: {
		200: listOf(ShipmentItem, {
			title: "ShipmentPage",
			asOf: "Pass it as `modified_since` next time to miss no change.",
		}),
	},
	examples: {
		request: { status: "shipped", limit: 100 },
		replies: { 200: { items: [SHIPMENT], next_cursor: "MTIuYWJjZGVm", has_more: false, as_of: ORDER.updated_at } },
		errors: BRAND_ERRORS,
	},
});
