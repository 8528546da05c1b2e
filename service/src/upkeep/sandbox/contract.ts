import Type from "typebox";
import { refuse } from "../../ground/lib/refusal.ts";
import { GetOrder } from "../../inventory/orders/contract.ts";
import { operation } from "../../partners/http/operation.ts";
import { GivenId, Id, Instant, ReplyObject, Text } from "../../partners/http/text.ts";
import { GOALS } from "./advance-goal.ts";
import { NO_ORDER_OF_KEY } from "./advance-order.ts";

/** Maximum characters of an Idempotency-Key (settlements, section 6). */
const MAX_REF = 200;
/** For a live key, nothing exists here (settlements, section 10). */
export const NOT_FOR_LIVE_KEYS = refuse("not_found", "Nothing exists at this path for a live key: use a sandbox key.");
const TOKEN = "0199f0a0-1111-7000-8000-000000000001";

const AdvanceRequest = Type.Object(
	{
		order_ref: Type.Optional(
			Text({
				min: 1,
				max: MAX_REF,
				description: "An order: its order_id, or the Idempotency-Key it was placed under.",
			}),
		),
		reservation_token: Type.Optional(GivenId("A hold.")),
		to: Type.Enum([...GOALS], {
			type: "string",
			description: "`picked`, `shipped` or `held` for an order, `expired` for a hold.",
		}),
	},
	{
		additionalProperties: false,
		title: "AdvanceRequest",
		description: "Exactly one of `order_ref` and `reservation_token`.",
	},
);

const ExpiredHold = ReplyObject("ExpiredHold", {
	reservation_token: Id(),
	status: Type.Literal("expired"),
	expires_at: Instant("When the hold ended: just now."),
});

export const AdvanceSandbox = operation({
	id: "advanceSandbox",
	method: "POST",
	path: "/api/v1/sandbox/advance",
	scope: "atp.reserve",
	summary: "Advance an order or a hold of the sandbox immediately",
	description:
		"For sandbox keys only; a live key is answered 404. An order is picked, shipped or held and answered as GET /api/v1/orders/{ref} does; orders in the same box are picked and shipped with it. A hold ends now instead of later. Left alone, an order of the sandbox is picked 30 seconds after it was placed and shipped after 60; one with a line of `SBX-HELD` is held after 30 and stays so.",
	body: AdvanceRequest,
	replies: { 200: Type.Union([GetOrder.replies[200], ExpiredHold], { title: "Advanced" }) },
	statuses: { wrong_state: 409 },
	examples: {
		request: { order_ref: "cart-1001", to: "shipped" },
		replies: { 200: { reservation_token: TOKEN, status: "expired", expires_at: "2026-09-06T12:01:00.000Z" } },
		errors: {
			not_found: NOT_FOR_LIVE_KEYS.message,
			order_not_found: NO_ORDER_OF_KEY.message,
			wrong_state: "This hold is released and cannot expire: only an active hold can.",
		},
	},
});

export const RestockSandbox = operation({
	id: "restockSandbox",
	method: "POST",
	path: "/api/v1/sandbox/restock",
	scope: "atp.reserve",
	summary: "Restore the stock of the test SKUs",
	description:
		"For sandbox keys only; a live key is answered 404. Free units of every test SKU are brought back to what they are after the daily restock; units that holds and orders have are not touched. All your sandbox keys share this stock, and no other partner does. There is one restock in any second for all of them: requests wait for their turn, some seconds at most.",
	replies: {
		200: ReplyObject("Restocked", {
			ok: Type.Literal(true),
			received_units: Type.Integer({ minimum: 0, description: "Units that were missing and were added." }),
			removed_units: Type.Integer({ minimum: 0, description: "Surplus units that were taken off." }),
		}),
	},
	examples: {
		replies: { 200: { ok: true, received_units: 3, removed_units: 0 } },
		errors: { not_found: NOT_FOR_LIVE_KEYS.message },
	},
});
