import Type from "typebox";
import { adminOperation } from "../../partners/admin/operation.ts";
import { Day, Id, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { MAX_NAME, NO_ORDER } from "../orders/admin-contract.ts";
import { NAMES, ORDER_ID } from "../orders/examples.ts";
import { ORDER_NAMES } from "../stock/admin-contract.ts";
import { NAMED } from "./box-admin-contract.ts";
import { DEFAULT_BOXES } from "./pick-list.ts";

export const PDF_TYPE = "application/pdf";
/** Maximum number of orders, or of boxes of the queue, for one pick list. */
const MAX_LISTED = 10_000;

/** Printing changes nothing, so a repeat prints again and nothing is kept under an Idempotency-Key. */

export const PackOrder = adminOperation({
	id: "pack_order",
	method: "POST",
	path: "/admin/api/v1/orders/:id/pack",
	summary: "Print the packing slip of an order's box",
	description:
		"The slip of the whole box in which the order waits, or else of the one that left last, as PDF. It changes nothing; the audit log records who printed it.",
	params: Type.Object({ id: Text({ min: 1, max: MAX_NAME, description: `The order: ${NAMED}.` }) }),
	body: RequestObject("PackOrderRequest", {
		paper: Type.Optional(Type.Enum(["A4", "LETTER"], { description: "The size of the paper (A4)." })),
	}),
	replies: {},
	contents: { 200: { [PDF_TYPE]: {} } },
	replyHeaders: { "X-Shipment-Id": "The box.", "Content-Disposition": "With a name for the file." },
	examples: {
		params: { id: ORDER_ID },
		request: { paper: "A4" },
		replies: {},
		errors: {
			order_not_found: NO_ORDER,
			not_possible_now: `Order ${NAMES.external_order_id} is cancelled: there is nothing to pack.`,
		},
	},
});

const Stop = ReplyObject("PickStop", {
	location: OrNull(Type.String({ description: "Where the lot lies; null: unknown." })),
	fg_id: Id("The lot."),
	formula: Type.String({ description: "The code of its formula." }),
	batch_number: Type.String({ description: "Its batch number." }),
	expires_on: OrNull(Day("Its last day of use; null: it never expires.")),
	received_on: Day("When it was received."),
	brand_code: OrNull(Type.String({ description: "The brand of its pool; null: the shared pool." })),
	units: Type.Integer({ description: "Units to take." }),
	orders: Type.Array(
		Type.Object({
			...ORDER_NAMES,
			partner: Type.String({ description: "Who placed it." }),
			units: Type.Integer({ description: "Units for it." }),
		}),
		{ description: "For whom." },
	),
});

export const MakePickList = adminOperation({
	id: "make_pick_list",
	method: "POST",
	path: "/admin/api/v1/picklists",
	summary: "The way through the warehouse for some orders",
	description:
		"Each lot once, by its location, with the orders that need units of it. Without `order_ids`: the orders of the queue that are to be picked. With `Accept: application/pdf` it is a list to print and tick off. It changes nothing; the audit log records who asked.",
	headers: {
		Accept: {
			schema: Text({
				min: 1,
				max: 1_000,
				description: "`application/pdf` for a PDF; anything else is answered with JSON.",
			}),
			missing: null,
		},
	},
	body: RequestObject("PickListRequest", {
		order_ids: Type.Optional(
			Type.Array(Text({ min: 1, max: MAX_NAME }), {
				minItems: 1,
				maxItems: MAX_LISTED,
				description: `The orders, each by its ${NAMED}.`,
			}),
		),
		to_pick: Type.Optional(
			Type.Boolean({
				description:
					"With `order_ids`: leave out the orders that do not wait to be picked, such as those that were picked meanwhile (false).",
			}),
		),
		brand_code: Type.Optional(
			Text({ min: 1, max: MAX_NAME, description: "Without `order_ids`: only boxes of this brand." }),
		),
		boxes: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: MAX_LISTED,
				description: `Without \`order_ids\`: maximum number of boxes of the queue (${DEFAULT_BOXES}).`,
			}),
		),
		paper: Type.Optional(Type.Enum(["A4", "LETTER"], { description: "For a PDF: the paper size (A4)." })),
	}),
	contents: { 200: { [PDF_TYPE]: {} } },
	replyHeaders: { "Content-Disposition": "For a PDF: includes a file name." },
	replies: {
		200: ReplyObject("PickList", {
			stops: Type.Array(Stop, { description: "In the order of the route." }),
			units: Type.Integer({ description: "Units to take in all." }),
			orders: Type.Integer({ description: "Orders that they are for." }),
		}),
	},
	examples: {
		request: { order_ids: ["cart-1001"] },
		replies: {
			200: {
				stops: [
					{
						location: "A-2",
						fg_id: "0199f0a0-2222-7000-8000-000000000002",
						formula: "F-PLENTY",
						batch_number: "SBX-B1",
						expires_on: "2027-09-30",
						received_on: "2026-09-01",
						brand_code: "SANDBOX",
						units: 2,
						orders: [{ ...NAMES, partner: "North Web Shop", units: 2 }],
					},
				],
				units: 2,
				orders: 1,
			},
		},
		errors: { order_not_found: NO_ORDER, not_found: 'There is no brand "ACEM": did you mean "ACME"?' },
	},
});
