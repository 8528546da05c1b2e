import Type from "typebox";
import { MAX_TTL_MINUTES } from "../../glossary.ts";
import { LASTING_CONFLICT } from "../../ground/engine/lasting-conflict.ts";
import { Closed } from "../../ground/lib/closed.ts";
import { operation } from "../../partners/http/operation.ts";
import { GivenId, Id, Instant, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { MAX_ITEMS, RequestLine } from "../stock/contract.ts";
import { NOTHING_UNDER_REF } from "./hold-reader.ts";
import { NO_HOLD } from "./own-hold.ts";
import { HOLD_EXPIRED } from "./release.ts";
import { REVERSE_MESSAGES } from "./reverse.ts";

/** The default lifetime of a hold in minutes (settlements, section 5). */
export const DEFAULT_TTL_MINUTES = 30;
/** Maximum code points (contract, section 8). */
const MAX_EXTERNAL_REF = 200;

const TOKEN = "0199f0a0-1111-7000-8000-000000000001";
const FORMULA = "0199f0a0-0000-7000-8000-00000000000a";
const LOT = "0199f0a0-2222-7000-8000-000000000002";

const Units = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });
const BrandCode = Type.Union([Type.String(), Type.Null()]);
const Lots = Type.Array(Id(), { description: "The lots drawn from, in picking order." });

const HeldComponent = ReplyObject("HeldComponent", {
	formula_id: Id(),
	per_kit: Type.Integer(),
	requested_units: Type.Union([Type.Integer(), Type.Null()], { description: "Null on an idempotent replay." }),
	reserved_units: Units(),
	from_brand_pool: Units("Units."),
	from_shared_pool: Units("Units."),
	fg_ids: Lots,
});

const HeldItem = ReplyObject("HeldItem", {
	sku: Type.String(),
	brand_code: BrandCode,
	reserved_qty: Units("Kits; a kit is held whole or not at all."),
	from_brand_pool: Units("Units, summed over the components."),
	from_shared_pool: Units("Units, summed over the components."),
	fg_ids: Lots,
	components: Type.Array(HeldComponent, { description: "One for each formula of the recipe." }),
});

const EXTERNAL_REF = { min: 1, max: MAX_EXTERNAL_REF } as const;

const HoldData = ReplyObject("Hold", {
	reservation_token: Id("Identifies the hold."),
	expires_at: Instant("When the hold ends."),
	idempotent: Type.Boolean({ description: "True when this replays a hold made earlier." }),
	items: Type.Array(HeldItem, { description: "One for each request line, in its order." }),
});

const REPLAYED = "`true` when the reply repeats that of an earlier request.";
const BRAND_MISMATCH = 'This key may not act for brand "ACME": name its own brand, or none.';

const HELD_ITEM = {
	sku: "SBX-PLENTY",
	brand_code: "SANDBOX",
	reserved_qty: 2,
	from_brand_pool: 2,
	from_shared_pool: 0,
	fg_ids: [LOT],
	components: [
		{
			formula_id: FORMULA,
			per_kit: 1,
			requested_units: 2,
			reserved_units: 2,
			from_brand_pool: 2,
			from_shared_pool: 0,
			fg_ids: [LOT],
		},
	],
};

export const Reserve = operation({
	id: "reserve",
	method: "POST",
	path: "/api/v1/reserve",
	scope: "atp.reserve",
	summary: "Hold units before charging a customer",
	description:
		"Sets units aside: the brand's own stock first, then the shared stock as far as the key has access. All lines or none. Send an external_ref of your own: as long as a hold under it is active, the same reference returns that hold, so a request may be repeated safely. A short reserve means the customer must not be charged.",
	body: RequestObject("ReserveRequest", {
		items: Type.Array(RequestLine, {
			minItems: 1,
			maxItems: MAX_ITEMS,
			description: "What is to be held: all of it, or nothing.",
		}),
		ttl_minutes: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: MAX_TTL_MINUTES,
				description: "Minutes that the hold lasts; 30 when absent.",
			}),
		),
		external_ref: Type.Optional(Text({ ...EXTERNAL_REF, description: "Your reference; one active hold for each." })),
	}),
	replies: { 201: HoldData },
	replyHeaders: {
		"Idempotent-Replayed": REPLAYED,
		"Partner-Warning":
			"On a replay, one or more words separated by commas: `items_differ`, the hold has other items than were asked for; `ttl_differs`, the hold was made with another `ttl_minutes`; `impaired`, some of its kits are no longer whole: do not charge for them.",
	},
	examples: {
		request: { items: [{ sku: "SBX-PLENTY", qty: 2 }], external_ref: "cart-1001" },
		replies: {
			201: {
				reservation_token: TOKEN,
				expires_at: "2026-09-06T12:30:00.000Z",
				idempotent: false,
				items: [HELD_ITEM],
			},
		},
		errors: {
			brand_mismatch: BRAND_MISMATCH,
			retry: LASTING_CONFLICT.message,
			no_inventory:
				'/items/0: not enough stock of "SBX-LOW": 4 units needed, 3 available to promise. Nothing is held: do not charge.',
			invalid_item: '/items/0/sku: there is no SKU "SBX-NOPE".',
		},
	},
});

export const Release = operation({
	id: "release",
	method: "POST",
	path: "/api/v1/release",
	scope: "atp.release",
	summary: "Give a hold back",
	description: "Frees the units of a hold immediately. Releasing a released hold returns the same reply.",
	body: RequestObject("ReleaseRequest", { reservation_token: GivenId("From the reserve.") }),
	replies: { 200: ReplyObject("Released", { ok: Type.Literal(true) }) },
	examples: {
		request: { reservation_token: TOKEN },
		replies: { 200: { ok: true } },
		errors: {
			not_found: NO_HOLD.message,
			gone: HOLD_EXPIRED.message,
		},
	},
});

const ConsumeRef = Text({
	...EXTERNAL_REF,
	description: "Your reference for the sale; a reverse is keyed by it.",
});

export const Consume = operation({
	id: "consume",
	method: "POST",
	path: "/api/v1/consume",
	scope: "atp.consume",
	summary: "Take the units of a hold, to ship them yourself",
	description:
		"The units leave the stock under your reference; no order is made. Repeating the same token with the same reference returns the same reply.",
	body: RequestObject("ConsumeRequest", { reservation_token: GivenId("From the reserve."), external_ref: ConsumeRef }),
	replies: {
		200: ReplyObject("Consumed", {
			consumed_units: Units("Units."),
			external_ref: Type.String(),
			idempotent: Type.Boolean(),
		}),
	},
	replyHeaders: { "Idempotent-Replayed": REPLAYED },
	examples: {
		request: { reservation_token: TOKEN, external_ref: "sale-1001" },
		replies: { 200: { consumed_units: 2, external_ref: "sale-1001", idempotent: false } },
		errors: {
			not_found: NO_HOLD.message,
			wrong_state: "This hold is expired and cannot be consumed: reserve again.",
		},
	},
});

export const ReverseConsume = operation({
	id: "reverseConsume",
	method: "POST",
	path: "/api/v1/consume/reverse",
	scope: "atp.consume",
	summary: "Give back what a consume took",
	description:
		"For a sale that was refunded or cancelled: units still in `consumed` under the reference go back to the lots they came from. Holdfast cannot tell whether the parcel has left; check before you reverse.",
	body: RequestObject("ReverseConsumeRequest", { external_ref: ConsumeRef }),
	replies: {
		200: ReplyObject("Returned", { returned_units: Units("Units."), idempotent: Type.Boolean() }),
	},
	replyHeaders: { "Idempotent-Replayed": REPLAYED },
	examples: {
		request: { external_ref: "sale-1001" },
		replies: { 200: { returned_units: 2, idempotent: false } },
		errors: REVERSE_MESSAGES,
	},
});

const Status = Type.Union([
	Type.Literal("active"),
	Type.Literal("expired"),
	Type.Literal("released"),
	Type.Literal("consumed"),
	Type.Literal("placed"),
	Type.Literal("reversed"),
]);

const HoldReadBack = ReplyObject("HoldReadBack", {
	reservation_token: Id("Identifies the hold."),
	status: Status,
	external_ref: Type.Union([Type.String(), Type.Null()], { description: "Of the reserve." }),
	consume_ref: Type.Union([Type.String(), Type.Null()], { description: "The reference of the consume." }),
	impaired: Type.Boolean({
		description:
			"Some of its kits are no longer whole: do not charge for them. Only an active or a placed hold can be impaired.",
	}),
	created_at: Instant(),
	expires_at: Instant("When the hold ends, or would have ended."),
	ended_at: Type.Union([Instant(), Type.Null()], {
		description: "When it was released, consumed or placed, or when it expired; null while it is active.",
	}),
	order_id: Type.Union([Id(), Type.Null()], { description: "The order made from it, or null." }),
	items: Type.Array(HeldItem, {
		description:
			"One for each line of the reserve, in its order. `requested_units` is what was asked for. The other counts are the units that the hold has now, or that were consumed, ordered or shipped under it and not returned; all are zero for a hold that is released, expired or reversed.",
	}),
});

const READ_BACK = {
	reservation_token: TOKEN,
	status: "consumed",
	external_ref: "cart-1001",
	consume_ref: "sale-1001",
	impaired: false,
	created_at: "2026-09-06T12:00:00.000Z",
	expires_at: "2026-09-06T12:30:00.000Z",
	ended_at: "2026-09-06T12:04:10.125Z",
	order_id: null,
	items: [HELD_ITEM],
};

export const ReadHold = operation({
	id: "readHold",
	method: "GET",
	path: "/api/v1/holds/:reservation_token",
	scope: "atp.reserve",
	summary: "Read a hold",
	description:
		"Reads a hold of this key, active or not, and changes nothing. Use it to recover after a crash, to see whether a hold was released, consumed or neither.",
	params: Closed({ reservation_token: GivenId("From the reserve.") }),
	replies: { 200: HoldReadBack },
	examples: {
		params: { reservation_token: TOKEN },
		replies: { 200: READ_BACK },
		errors: { not_found: NO_HOLD.message },
	},
});

export const FindHold = operation({
	id: "findHold",
	method: "GET",
	path: "/api/v1/holds",
	scope: "atp.reserve",
	summary: "Read the newest hold under a reference",
	description:
		"Reads the newest hold that this key made under the external_ref of a reserve, active or not, and changes nothing. Use it when the reply to a reserve was lost.",
	query: Closed({ external_ref: Text({ ...EXTERNAL_REF, description: "The reference of the reserve, exactly." }) }),
	replies: { 200: HoldReadBack },
	examples: {
		request: { external_ref: "cart-1001" },
		replies: { 200: READ_BACK },
		errors: { not_found: NOTHING_UNDER_REF.message },
	},
});
