import Type from "typebox";
import { BUCKETS } from "../../glossary.ts";
import { Closed } from "../../ground/lib/closed.ts";
import { adminOperation } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Day, Id, Instant, OrNull, ReplyObject, Text } from "../../partners/http/text.ts";

/** Maximum code points of a code or a batch number, as in an import. */
export const CODE_MAX = 200;

const Code = (description: string) => Type.Optional(Text({ min: 1, max: CODE_MAX, description }));
const Units = (description: string) => Type.Integer({ description });
const NO_FORMULA = 'There is no formula "CALM": did you mean "CALM-60"?';
export const NO_LOT = "There is no lot 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7e.";

const Lot = ReplyObject("Lot", {
	fg_id: Id("The lot."),
	formula: Type.String({ description: "Code of its formula." }),
	brand_code: OrNull(Type.String({ description: "The brand of its pool; null: the shared pool." })),
	sandbox_of: OrNull(Type.String({ description: "The partner in whose sandbox it is; null: nobody's." })),
	batch_number: Type.String({ description: "Its batch number." }),
	expires_on: OrNull(Day("The last day of use; null: it never expires.")),
	received_on: Day("The day on which it came."),
	in_date: Type.Boolean({ description: "It may be used today." }),
	location: OrNull(Type.String({ description: "Where in the warehouse it is; null: not recorded." })),
	received: Units("Units that receipts added."),
	corrected: Units("Units that corrections added or, if negative, took off."),
	available: Units("Units free, also past the last day of use."),
	held: Units("Units in active holds."),
	allocated: Units("Units of orders that are not shipped."),
	consumed: Units("Units that partners sold."),
	shipped: Units("Units shipped with orders."),
	quarantined: Units("Units out of sale for now."),
	destroyed: Units("Units removed for good."),
	recalled_at: OrNull(Instant("When it was recalled; null: it is not.")),
});
export const LOT_EXAMPLE = {
	fg_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7e",
	formula: "CALM-60",
	brand_code: "ACME",
	sandbox_of: null,
	batch_number: "C-2611",
	expires_on: "2028-11-30",
	received_on: "2026-09-06",
	in_date: true,
	location: "A-12-3",
	received: 120,
	corrected: -1,
	available: 110,
	held: 4,
	allocated: 3,
	consumed: 0,
	shipped: 2,
	quarantined: 0,
	destroyed: 0,
	recalled_at: null,
};

export const ListLots = adminOperation({
	id: "list_lots",
	method: "GET",
	path: "/admin/api/v1/lots",
	summary: "List lots",
	description: "By formula, brand (the shared pool last) and last day of use, empty ones too.",
	query: pageQuery({
		formula: Code("Only lots of the formula of this code."),
		brand_code: Code("Only lots of this brand's pool; `shared`: of the shared pool."),
		batch_number: Code("Only lots of this batch number, as it is written."),
		bucket: Type.Optional(Type.Enum([...BUCKETS], { description: "Only lots with units in this bucket." })),
		expires_before: Type.Optional(
			Text({ min: 1, max: 10, description: "`YYYY-MM-DD`; only lots whose last day of use is before this day." }),
		),
		depleted: Type.Optional(
			Type.Boolean({ description: "`false`: only lots of which units are still there; `true`: only the others." }),
		),
		q: Code("Only lots whose batch number, location or formula contains this."),
	}),
	replies: { 200: pageOf(Lot, "Lots") },
	examples: {
		replies: { 200: { items: [LOT_EXAMPLE], next_cursor: null } },
		errors: { not_found: NO_FORMULA },
	},
});

export const NamedLot = Type.Object({
	fg_id: Text({ min: 1, max: CODE_MAX, description: "The lot's `fg_id`, or its batch number if one lot has it." }),
});
const LotQuery = {
	formula: Code("With a batch number: the lot's formula, if several lots have this number."),
	brand_code: Code(
		"With a batch number: the lot's brand, if several lots have this number; `shared`: the lot of the shared pool.",
	),
};
const LOT_PARAMS_EXAMPLE = { fg_id: LOT_EXAMPLE.fg_id };

export const GetLot = adminOperation({
	id: "get_lot",
	method: "GET",
	path: "/admin/api/v1/lots/:fg_id",
	summary: "Read a lot",
	description: "With its units by bucket.",
	params: NamedLot,
	query: Closed(LotQuery),
	conditional: true,
	replies: { 200: Lot },
	examples: { params: LOT_PARAMS_EXAMPLE, replies: { 200: LOT_EXAMPLE }, errors: { not_found: NO_LOT } },
});

/** How operators see which order is meant. */
export const ORDER_NAMES = {
	order_id: Id("The order."),
	ref: Type.String({ description: "The Idempotency-Key that it was placed under." }),
	external_order_id: OrNull(Type.String({ description: "The partner's own id." })),
};

const Move = ReplyObject("Move", {
	seq: Type.Integer({ description: "Its number in the ledger." }),
	at: Instant("When it was written."),
	fg_id: Id("The lot."),
	batch_number: Type.String({ description: "The lot's batch number." }),
	brand_code: OrNull(Type.String({ description: "The brand of the lot's pool; null: the shared pool." })),
	from: Type.String({ description: "The bucket that the units left; `received`, `corrected`: they came in." }),
	to: Type.String({ description: "The bucket that they came to; `corrected`: they are gone." }),
	units: Type.Integer({ minimum: 1 }),
	cause: Type.String({ description: "The command: `receive`, `reserve`, `expire`, …" }),
	about: OrNull(Type.String({ description: "The object of the command, such as a reservation token." })),
	order: OrNull(
		Type.Object(
			{ ...ORDER_NAMES, partner: Type.String({ description: "Who placed it." }) },
			{ description: "The order that was placed from that hold; null: none, or no hold is named." },
		),
	),
	reason: OrNull(Type.String({ description: "The reason that was given with it." })),
	actor: Type.String({ description: "`key:<public half>`, `operator:<name>` or `system:<what>`." }),
	request_id: OrNull(Type.String({ description: "The id of the request that caused it." })),
});
const MOVE_EXAMPLE = {
	seq: 41,
	at: "2026-09-06T12:00:00.000Z",
	fg_id: LOT_EXAMPLE.fg_id,
	batch_number: LOT_EXAMPLE.batch_number,
	brand_code: LOT_EXAMPLE.brand_code,
	from: "available",
	to: "corrected",
	units: 1,
	cause: "correct",
	about: null,
	order: null,
	reason: "counted on the shelf",
	actor: "operator:erin",
	request_id: "req_019a9c3e8c3b7d0e9a535d2f4a1b6c7e",
};

export const ListLotMoves = adminOperation({
	id: "list_lot_moves",
	method: "GET",
	path: "/admin/api/v1/lots/:fg_id/moves",
	summary: "List the moves of a lot",
	description: "From the ledger, newest first.",
	params: NamedLot,
	query: pageQuery(LotQuery),
	replies: { 200: pageOf(Move, "LotMoves") },
	examples: {
		params: LOT_PARAMS_EXAMPLE,
		replies: { 200: { items: [MOVE_EXAMPLE], next_cursor: null } },
		errors: { not_found: NO_LOT },
	},
});

export const ListMoves = adminOperation({
	id: "list_moves",
	method: "GET",
	path: "/admin/api/v1/moves",
	summary: "List the moves of a formula's lots",
	description: "From the ledger, newest first.",
	query: pageQuery({
		formula: Text({ min: 1, max: CODE_MAX, description: "Code of the formula." }),
		brand_code: Code("Only lots of this brand's pool; `shared`: of the shared pool."),
	}),
	replies: { 200: pageOf(Move, "FormulaMoves") },
	examples: {
		request: { formula: LOT_EXAMPLE.formula },
		replies: { 200: { items: [MOVE_EXAMPLE], next_cursor: null } },
		errors: { not_found: NO_FORMULA },
	},
});
