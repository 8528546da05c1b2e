import Type, { type TProperties } from "typebox";
import { adminOperation } from "../../partners/admin/operation.ts";
import { Day, Id, Instant, OrNull, ReplyObject } from "../../partners/http/text.ts";
import { KEY_DAYS, LOT_DAYS, MOST_COUNTED, MOST_SHOWN } from "./limits.ts";

const COUNTED = MOST_COUNTED.toLocaleString("en");

/** A figure of the overview: a count, and details of the objects counted. */
const figure = <Fields extends TProperties>(title: string, description: string, fields: Fields) =>
	Type.Object(
		{
			n: Type.Integer({ description: `How many there are, at most ${COUNTED}.` }),
			more: Type.Boolean({ description: `There are more than ${COUNTED}.` }),
			...fields,
		},
		{ title, description },
	);
const listOf = <Fields extends TProperties>(title: string, which: string, fields: Fields) =>
	Type.Array(ReplyObject(title, fields), { description: which });
const first = (which: string): string => `${which}; at most ${MOST_SHOWN}.`;
const partner = Type.String({ description: "The partner's name." });
const units = (description: string) => Type.Integer({ description });

const Holder = ReplyObject("HolderOfEndingLot", {
	partner,
	holds: units("Active holds of this partner with units of the lot."),
	orders: units("Open orders of this partner with units of the lot."),
	units: units("Units of the lot that these have."),
});

const Overview = ReplyObject("Overview", {
	as_of: Instant("The moment that the reply describes."),
	exceptions: figure("OpenExceptions", "Demand from elsewhere that could not be promised or drawn down.", {
		by_kind: listOf("ExceptionsOfKind", "By kind.", {
			kind: Type.String({ description: "`unknown_store`, `unknown_sku`, `no_recipe` or `shortage`." }),
			n: units("How many."),
			oldest_at: Instant("When the oldest of them was opened."),
		}),
	}),
	boxes_to_ship: figure("BoxesToShip", "Boxes that wait for a label, or with a label for the carrier.", {
		by_age: listOf("BoxesOfAge", "By age, the youngest first.", {
			days: units("Whole days since the box was created; 3: three or more."),
			n: units("How many."),
		}),
	}),
	held_orders: figure("HeldOrders", "Orders that are on hold.", {
		by_reason: listOf("HeldForReason", "By reason.", {
			reason: Type.String({ description: "One of the reasons for which orders are held." }),
			n: units("How many."),
		}),
		items: listOf("HeldOrder", first("Those that have been on hold for the longest time"), {
			order_id: Id("The order."),
			ref: Type.String({ description: "The partner's `Idempotency-Key`." }),
			external_order_id: OrNull(Type.String({ description: "The partner's own id." })),
			partner,
			reason: Type.String({ description: "Why it is on hold." }),
			detail: OrNull(Type.String({ description: "More about the reason; null: none was given." })),
			held_at: Instant("When it was put on hold."),
			lacking_units: units("Units that it was granted and has lost."),
			could_be_released: Type.Boolean({ description: "Everything that it lacks is available." }),
		}),
	}),
	ending_lots: figure(
		"EndingLots",
		`Lots with units whose last day has passed or is less than ${LOT_DAYS} days away.`,
		{
			items: listOf("EndingLot", first("Those whose last day comes first"), {
				fg_id: Id("The lot."),
				formula: Type.String({ description: "The code of its formula." }),
				brand_code: OrNull(Type.String({ description: "The brand that owns it; null: the shared stock." })),
				batch_number: Type.String({ description: "Its batch number." }),
				expires_on: Day("Its last day."),
				in_date: Type.Boolean({ description: "Its last day has not passed." }),
				available: units("Free units."),
				held: units("Units of active holds."),
				allocated: units("Units of orders that have not left."),
				holders: Type.Array(Holder, {
					description: "The partners whose holds and orders have units of it, the largest number first.",
				}),
				unnamed_units: units("Units of further holds and orders: only some thousands of each are counted by partner."),
			}),
		},
	),
	failing_endpoints: figure(
		"FailingEndpoints",
		"Webhook endpoints whose last attempt failed, or that were deactivated for it.",
		{
			items: listOf("FailingEndpoint", first("Deactivated ones, then those that have failed for the longest time"), {
				endpoint_id: Id("The endpoint."),
				partner,
				url: Type.String({ description: "Its address." }),
				active: Type.Boolean({ description: "It is still tried; false: it was deactivated for its failures." }),
				failing_since: OrNull(Instant("The first failure after the last success; null: not known.")),
			}),
		},
	),
	ending_keys: figure("EndingKeys", `Keys that end within ${KEY_DAYS} days, by their expiry or by a revocation.`, {
		items: listOf("EndingKey", first("Those that end first"), {
			pk: Type.String({ description: "The key's public half." }),
			name: Type.String({ description: "The key's name." }),
			partner,
			environment: Type.Enum(["live", "sandbox"], { description: "Live or sandbox." }),
			ends_at: Instant("When it ends."),
		}),
	}),
	runs: figure("RunsUnderWay", "Long work that is in progress.", {
		items: listOf("RunUnderWay", first("Those that were started first"), {
			run_id: Id("The run."),
			operation: Type.String({ description: "The operation that started it." }),
			about: Type.String({ description: "The object that it concerns, by that object's own name." }),
			done: units("How much of it is done."),
			of: OrNull(units("How much there is to do in all; null: not known.")),
			started_at: Instant("When it was started."),
		}),
	}),
});

const ID = "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d";
const AT = "2026-09-06T12:00:00.000Z";

export const GetOverview = adminOperation({
	id: "get_overview",
	method: "GET",
	path: "/admin/api/v1/overview",
	summary: "Read what needs attention",
	description: `Counts and states of everything that waits or is wrong, as of one moment, without the sandbox. A count stops at ${COUNTED};
\`more\` says that there are more.`,
	replies: { 200: Overview },
	examples: {
		replies: {
			200: {
				as_of: AT,
				exceptions: { n: 2, more: false, by_kind: [{ kind: "unknown_sku", n: 2, oldest_at: AT }] },
				boxes_to_ship: {
					n: 14,
					more: false,
					by_age: [
						{ days: 0, n: 11 },
						{ days: 3, n: 3 },
					],
				},
				held_orders: {
					n: 1,
					more: false,
					by_reason: [{ reason: "lot_recalled", n: 1 }],
					items: [
						{
							order_id: ID,
							ref: "order-1001",
							external_order_id: "#1001",
							partner: "Example Shop",
							reason: "lot_recalled",
							detail: null,
							held_at: AT,
							lacking_units: 4,
							could_be_released: true,
						},
					],
				},
				ending_lots: {
					n: 1,
					more: false,
					items: [
						{
							fg_id: ID,
							formula: "F-100",
							brand_code: null,
							batch_number: "B-2601",
							expires_on: "2026-09-20",
							in_date: true,
							available: 120,
							held: 6,
							allocated: 2,
							holders: [{ partner: "Example Shop", holds: 2, orders: 1, units: 8 }],
							unnamed_units: 0,
						},
					],
				},
				failing_endpoints: {
					n: 1,
					more: false,
					items: [
						{
							endpoint_id: ID,
							partner: "Example Shop",
							url: "https://shop.example/hooks",
							active: true,
							failing_since: AT,
						},
					],
				},
				ending_keys: {
					n: 1,
					more: false,
					items: [
						{
							pk: "pk_hf_3ZrT0mGq8yXvB2kLw9QaE1nHc",
							name: "web",
							partner: "Example Shop",
							environment: "live",
							ends_at: AT,
						},
					],
				},
				runs: {
					n: 1,
					more: false,
					items: [{ run_id: ID, operation: "recall_lots", about: "C-2611", done: 4_200, of: 16_000, started_at: AT }],
				},
			},
		},
	},
});
