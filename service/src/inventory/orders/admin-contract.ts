import Type from "typebox";
import { REASON, REASON_MAX, WRITE_ERRORS } from "../../partners/admin/headers.ts";
import { adminEdit, adminOperation } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { HOLD_REASONS } from "../../partners/webhooks/event.ts";
import { ORDER_NAMES } from "../stock/admin-contract.ts";
import { ORDER_FIELDS } from "./contract.ts";
import { NAMES, ORDER, ORDER_ID } from "./examples.ts";
import { ORDER_STATUSES, SERVICE_LEVELS } from "./order.ts";
import { TIMELINE_WORDS } from "./timeline.ts";

/** Maximum code points of a name, a code or a search text. */
export const MAX_NAME = 200;

const OWNER_FIELDS = {
	partner: Type.String({ description: "The name of the partner that placed it." }),
	key: Type.String({ description: "The public half of the key that placed it." }),
	key_name: Type.String({ description: "The name of that key." }),
};
const HOLD_DETAIL = OrNull(
	Type.String({ description: "The reason for the hold in words; null: none, or not on hold." }),
);

const ListedOrder = ReplyObject("ListedOrder", {
	...ORDER_NAMES,
	status: Type.Enum([...ORDER_STATUSES], { description: "As its partner sees it." }),
	hold_reason: OrNull(Type.Enum([...HOLD_REASONS], { description: "Why it is on hold; null: it is not." })),
	hold_detail: HOLD_DETAIL,
	brand_code: OrNull(Type.String({ description: "The brand that its lines share; null: none." })),
	environment: Type.Enum(["live", "sandbox"], { description: "The environment of its key." }),
	...OWNER_FIELDS,
	service_level: Type.Enum([...SERVICE_LEVELS], { description: "How fast it is to ship." }),
	customer: Type.String({ description: "The customer's name." }),
	city: Type.String({ description: "Where it goes." }),
	country: Type.String({ description: "Where it goes, as a two-letter code." }),
	placed_at: Instant("When it was placed."),
	updated_at: Instant("When it last changed."),
	lacking_units: OrNull(
		Type.Integer({ description: "Units that it was granted and has lost; null: it is not on hold." }),
	),
	could_be_released: OrNull(
		Type.Boolean({
			description: "Everything it lacks is in stock, so that a release would succeed; null: it is not on hold.",
		}),
	),
});

export const TimelineEntry = ReplyObject("OrderTimelineEntry", {
	at: Instant("When."),
	what: Type.Enum([...TIMELINE_WORDS], { description: "What happened to the order or to a box it is in." }),
	by: OrNull(
		Type.String({
			description:
				"Who did it: `key:…`, `operator:…` or, for a shipment, `system:…`; null: Holdfast itself did it, or it is not recorded.",
		}),
	),
	why: OrNull(Type.String({ description: "The reason that was given; null: none." })),
});

const LotToChange = ReplyObject("LotToChange", {
	fg_id: Id("The lot."),
	formula: Type.String({ description: "Code of its formula." }),
	batch_number: Type.String({ description: "Its batch number." }),
	units: Type.Integer({ description: "Units." }),
	recalled: Type.Boolean({ description: "A recall took them from the order." }),
});

const OperatorOrder = ReplyObject("OperatorOrder", {
	...ORDER_FIELDS,
	hold_detail: HOLD_DETAIL,
	cancel_reason: OrNull(Type.String({ description: "The reason of its cancel; null: none." })),
	...OWNER_FIELDS,
	pick_again: Type.Boolean({
		description:
			"It was picked, or shipped in part, or its box was labelled or its shipment voided, and since then its lots changed, it was on hold, or another order was cancelled out of its box: nothing of it may leave before it is picked again.",
	}),
	take_out: Type.Array(LotToChange, {
		description: "Units that were taken from it since it was picked or its box was labelled: they may be in the box.",
	}),
	put_in: Type.Array(LotToChange, { description: "Units that it was given since then: the box lacks them." }),
	timeline: Type.Array(TimelineEntry, { description: "What happened to it, oldest first." }),
});

const OWNER = { partner: "North Web Shop", key: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc", key_name: "web" } as const;
const LISTED_EXAMPLE = {
	...NAMES,
	status: "placed",
	hold_reason: null,
	hold_detail: null,
	brand_code: ORDER.brand_code,
	environment: ORDER.environment,
	...OWNER,
	service_level: ORDER.service_level,
	customer: ORDER.customer.name,
	city: "Portland",
	country: "US",
	placed_at: ORDER.placed_at,
	updated_at: ORDER.updated_at,
	lacking_units: null,
	could_be_released: null,
} as const;
const SHOWN_EXAMPLE = {
	...ORDER,
	hold_detail: null,
	cancel_reason: null,
	...OWNER,
	pick_again: false,
	take_out: [],
	put_in: [],
	timeline: [{ at: ORDER.placed_at, what: "placed", by: `key:${OWNER.key}`, why: null }],
} as const;
export const NO_ORDER = 'There is no order with the id, the Idempotency-Key or the external id "cart-9".';

export const ListOrders = adminOperation({
	id: "list_orders",
	method: "GET",
	path: "/admin/api/v1/orders",
	summary: "List orders",
	description: "Newest first, of every partner.",
	query: pageQuery({
		q: Type.Optional(
			Text({
				min: 1,
				max: MAX_NAME,
				description:
					"Only orders with this id, reference, external id (with or without a `#` before it) or tracking number, or with the text in the customer's name or e-mail address.",
			}),
		),
		status: Type.Optional(Type.Enum([...ORDER_STATUSES], { description: "Only orders of this status." })),
		key: Type.Optional(
			Text({ min: 1, max: MAX_NAME, description: "Only of this key: public half, name, or `partner/name`." }),
		),
		brand_code: Type.Optional(Text({ min: 1, max: MAX_NAME, description: "Only orders of this brand." })),
	}),
	replies: { 200: pageOf(ListedOrder, "OperatorOrders") },
	examples: {
		replies: { 200: { items: [LISTED_EXAMPLE], next_cursor: null } },
		errors: { not_found: 'No key has the name or public half "web".' },
	},
});

const Params = Type.Object({
	id: Text({
		min: 1,
		max: MAX_NAME,
		description: "The order: its id, or its Idempotency-Key or external id if no other order has it.",
	}),
});
const PARAMS_EXAMPLE = { id: ORDER_ID };

export const GetOperatorOrder = adminOperation({
	id: "get_order",
	method: "GET",
	path: "/admin/api/v1/orders/:id",
	summary: "Read an order",
	description: "With its lots, its boxes, and what happened to it.",
	params: Params,
	conditional: true,
	replies: { 200: OperatorOrder },
	examples: { params: PARAMS_EXAMPLE, replies: { 200: SHOWN_EXAMPLE }, errors: { order_not_found: NO_ORDER } },
});

/** The errors of a write on an order. `edge`: an example of a status that does not allow the write. */
export const edgesOf = (edge: string) => ({
	order_not_found: NO_ORDER,
	not_possible_now: edge,
	...WRITE_ERRORS,
});
const reason = (description: string) => Type.Optional(Text({ min: 1, max: REASON_MAX, description }));

export const HoldOrder = adminEdit({
	id: "hold_order",
	method: "POST",
	path: "/admin/api/v1/orders/:id/hold",
	summary: "Put an order on hold",
	description: "Nothing ships until it is released or cancelled. Its partner gets the reason in an event.",
	params: Params,
	body: RequestObject("HoldOrderRequest", {
		reason: Type.Enum([...HOLD_REASONS], { description: "Why, for the partner." }),
		detail: reason("The reason in words, for the partner; kept with the order and in its event."),
	}),
	replies: { 200: OperatorOrder },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { reason: "address_invalid", detail: "The house number is missing." },
		replies: {
			200: {
				...SHOWN_EXAMPLE,
				status: "held",
				hold_reason: "address_invalid",
				hold_detail: "The house number is missing.",
			},
		},
		errors: edgesOf("Order shop-1001 is picked and cannot be put on hold: only an order that is placed can."),
	},
});

export const ReleaseOrder = adminEdit({
	id: "release_order",
	method: "POST",
	path: "/admin/api/v1/orders/:id/release",
	summary: "Release an order that is on hold",
	description: "Units that it lost are picked again, if there are enough by now.",
	params: Params,
	body: RequestObject("ReleaseOrderRequest", REASON),
	replies: { 200: OperatorOrder },
	examples: {
		params: PARAMS_EXAMPLE,
		request: {},
		replies: { 200: SHOWN_EXAMPLE },
		errors: edgesOf(
			"Order shop-1001 lost units that are not in stock yet: receive stock and release it then, or cancel it.",
		),
	},
});

export const CancelOperatorOrder = adminEdit({
	id: "cancel_order",
	method: "POST",
	path: "/admin/api/v1/orders/:id/cancel",
	summary: "Cancel an order before it is picked",
	description:
		"Its units go back to the lots they came from. If a label platform has the order, it must agree first. A cancelled order is returned as it is.",
	params: Params,
	body: RequestObject("CancelOrderRequest", {
		reason: reason("Why, also for the partner; kept with the order, in its event and in the audit log."),
	}),
	replies: { 200: OperatorOrder },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { reason: "The customer called." },
		replies: {
			200: { ...SHOWN_EXAMPLE, status: "cancelled", cancellable: false, cancelled_at: ORDER.updated_at },
		},
		errors: {
			...edgesOf("This order is picked and can no longer be cancelled: it needs a return authorization."),
			shipstation_error: "The label platform did not confirm the cancellation. Nothing was changed: try again.",
		},
	},
});
