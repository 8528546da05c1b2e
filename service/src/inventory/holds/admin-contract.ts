import Type from "typebox";
import { REASON, WRITE_ERRORS } from "../../partners/admin/headers.ts";
import { adminEdit, adminOperation, adminWrite } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { type HoldStatus, stateUnder } from "./hold.ts";

const STATUSES = Object.keys(stateUnder) as HoldStatus[];
const Status = (description: string) => Type.Enum(STATUSES, { description });
const NO_HOLD = "There is no hold 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d.";

const HOLD_FIELDS = {
	reservation_token: Id("The token of the hold."),
	key: Type.String({ description: "The public half of its key." }),
	key_name: Type.String({ description: "The name of its key." }),
	partner: Type.String({ description: "The name of the key's partner." }),
	status: Status("A hold past its end is `expired` at once."),
	impaired: Type.Boolean({ description: "It is active, and lost units of some of its kits could not be replaced." }),
	external_ref: OrNull(Type.String({ description: "The reference of the reserve." })),
	consume_ref: OrNull(Type.String({ description: "The reference of the consume." })),
	units: Type.Integer({ description: "Units of its parts, without those that it lost." }),
	created_at: Instant("When it was created."),
	expires_at: Instant("When it expires, or expired."),
	ended_at: OrNull(Instant("When it was released, consumed or placed, or when its end was recorded.")),
};
const ListedHold = ReplyObject("OperatorHold", {
	...HOLD_FIELDS,
	units_of_lot: OrNull(
		Type.Integer({ description: "With `lot`: units of it that the hold, or its order, has now; null: without." }),
	),
});
const ShownHold = ReplyObject("OperatorHoldWithParts", {
	...HOLD_FIELDS,
	consumed_units: OrNull(Type.Integer({ description: "Units that were consumed." })),
	returned_units: OrNull(Type.Integer({ description: "Units that a reversed consume returned." })),
	order_id: OrNull(Id("The order made from it.")),
	lines: Type.Array(
		ReplyObject("OperatorHoldLine", {
			sku: Type.String({ description: "The SKU." }),
			brand_code: OrNull(Type.String({ description: "The brand; null: none." })),
			qty: Type.Integer({ description: "Kits." }),
		}),
		{ description: "The lines of the reserve, in its order." },
	),
	parts: Type.Array(
		ReplyObject("OperatorHoldPart", {
			line: Type.Integer({ description: "Index of the line." }),
			formula: Type.String({ description: "Code of the formula." }),
			brand_code: OrNull(Type.String({ description: "The brand of the lot's pool; null: the shared pool." })),
			fg_id: Id("The lot."),
			batch_number: Type.String({ description: "Its batch number." }),
			units: Type.Integer({ description: "Units of the lot." }),
			state: Type.String({ description: "Where these units are: `held`, `allocated`, `displaced`, …" }),
		}),
		{ description: "The lots that it draws on, or drew on." },
	),
});
const LISTED_EXAMPLE = {
	reservation_token: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	key: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc",
	key_name: "web",
	partner: "North Web Shop",
	status: "active",
	impaired: false,
	external_ref: "cart-1",
	consume_ref: null,
	units: 2,
	created_at: "2026-09-06T12:00:00.000Z",
	expires_at: "2026-09-06T12:15:00.000Z",
	ended_at: null,
} as const;
const SHOWN_EXAMPLE = {
	...LISTED_EXAMPLE,
	consumed_units: null,
	returned_units: null,
	order_id: null,
	lines: [{ sku: "ONE", brand_code: "ACME", qty: 2 }],
	parts: [
		{
			line: 0,
			formula: "F-ONE",
			brand_code: "ACME",
			fg_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7e",
			batch_number: "B-1",
			units: 2,
			state: "held",
		},
	],
};

export const ListHolds = adminOperation({
	id: "list_holds",
	method: "GET",
	path: "/admin/api/v1/holds",
	summary: "List holds",
	description: "Newest first, of every partner.",
	query: pageQuery({
		status: Type.Optional(Status("Only holds of this status.")),
		impaired: Type.Optional(Type.Literal(true, { description: "Only active holds with incomplete kits." })),
		key: Type.Optional(
			Text({ min: 1, max: 200, description: "Only of this key: public half, name, or `partner/name`." }),
		),
		brand_code: Type.Optional(Text({ min: 1, max: 64, description: "Only holds with a line of this brand." })),
		sku: Type.Optional(Text({ min: 1, max: 200, description: "Only holds with a line of this SKU." })),
		lot: Type.Optional(
			Text({
				min: 1,
				max: 200,
				description: "Only holds that draw, or drew, on this lot: `fg_id`, or batch number if one lot has it.",
			}),
		),
		of_lot: Type.Optional(
			Type.Enum(["now", "before"], {
				description: "With `lot`: only holds that have units of it now, or only those that have none any more.",
			}),
		),
		external_ref: Type.Optional(Text({ min: 1, max: 200, description: "Only holds reserved or consumed under it." })),
	}),
	replies: { 200: pageOf(ListedHold, "OperatorHolds") },
	examples: {
		replies: { 200: { items: [{ ...LISTED_EXAMPLE, units_of_lot: null }], next_cursor: null } },
		errors: { not_found: 'No key has the name or public half "web".' },
	},
});

const HoldParams = Type.Object({ token: GivenId("The reservation_token.") });
const HOLD_PARAMS_EXAMPLE = { token: LISTED_EXAMPLE.reservation_token };

export const GetOperatorHold = adminOperation({
	id: "get_hold",
	method: "GET",
	path: "/admin/api/v1/holds/:token",
	summary: "Read a hold",
	description: "With its lines, and the lots that it draws on.",
	params: HoldParams,
	conditional: true,
	replies: { 200: ShownHold },
	examples: { params: HOLD_PARAMS_EXAMPLE, replies: { 200: SHOWN_EXAMPLE }, errors: { not_found: NO_HOLD } },
});

export const ReleaseHold = adminEdit({
	id: "release_hold",
	method: "POST",
	path: "/admin/api/v1/holds/:token/release",
	summary: "Release a hold",
	description:
		"Ends an active hold: its units are free immediately, and its partner finds it ended. A hold that is already released is returned as it is.",
	params: HoldParams,
	body: RequestObject("ReleaseHoldRequest", REASON),
	replies: { 200: ShownHold },
	examples: {
		params: HOLD_PARAMS_EXAMPLE,
		request: { reason: "The customer cancelled by phone." },
		replies: { 200: { ...SHOWN_EXAMPLE, status: "released", ended_at: "2026-09-06T12:05:00.000Z" } },
		errors: {
			not_found: NO_HOLD,
			not_possible_now: "This hold is consumed: there is nothing to release.",
			...WRITE_ERRORS,
		},
	},
});

export const ShipConsume = adminWrite({
	id: "ship_consume",
	method: "POST",
	path: "/admin/api/v1/consumes/ship",
	summary: "Record that consumed units were shipped",
	description:
		"The units that a partner consumed under a reference have left the warehouse: they can no longer be given back, and a recall lists them as shipped. Reporting them again changes nothing.",
	body: RequestObject("ShipConsumeRequest", {
		key: Text({ min: 1, max: 200, description: "The key that consumed it: public half, name, or `partner/name`." }),
		external_ref: Text({ min: 1, max: 200, description: "The reference of the consume, not of the reserve." }),
		...REASON,
	}),
	replies: {
		200: ReplyObject("ShippedConsume", {
			reservation_token: Id("The token of the hold that was consumed."),
			external_ref: Type.String({ description: "The reference of the consume." }),
			shipped_units: Type.Integer({ description: "Units shipped under it in all." }),
			idempotent: Type.Boolean({ description: "True: it was reported before, and nothing changed." }),
		}),
	},
	examples: {
		request: { key: "web", external_ref: "SALE-1041" },
		replies: {
			200: {
				reservation_token: LISTED_EXAMPLE.reservation_token,
				external_ref: "SALE-1041",
				shipped_units: 2,
				idempotent: false,
			},
		},
		errors: {
			not_found:
				"This key has consumed nothing under this external_ref: give the reference of the consume, not of the reserve.",
			not_possible_now: "What was consumed under this external_ref has been given back: there is nothing to ship.",
			...WRITE_ERRORS,
		},
	},
});
