import Type, { type TProperties } from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { CONFLICT_EXAMPLE, RETRY_EXAMPLE } from "../../partners/admin/headers.ts";
import { adminOperation, adminWrite } from "../../partners/admin/operation.ts";
import { Day, Id, Instant, OrNull, ReplyObject, Text } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { MAX_EXAMPLES, RULES, type Rule } from "./verify.ts";

/** Maximum code points of a name; nothing that exists has a longer one. */
const MAX_NAME = 300;
const Units = (description: string) => Type.Integer({ description });
const KeyName = (description: string) => OrNull(Type.String({ description }));

const BOUND_FIELDS = {
	key: KeyName("The public half of its key; null: unknown."),
	units: Units("Units of the lot."),
	later: KeyName("The recall that took these units later, by its reason; null: none did."),
} satisfies TProperties;

const Hold = ReplyObject("ExplainedHold", {
	reservation_token: OrNull(Id("The hold; null: a later recall took the units, and no hold can be named.")),
	external_ref: KeyName("The reference of its reserve."),
	expires_at: OrNull(Instant("When it expires, or expired.")),
	lapsed: Type.Boolean({ description: "It was past its end at that instant, so its units count as free." }),
	...BOUND_FIELDS,
});

const Order = ReplyObject("ExplainedOrder", {
	order_id: OrNull(Id("The order; null: a later recall took the units, and no order can be named.")),
	ref: KeyName("The Idempotency-Key that it was placed under."),
	external_order_id: KeyName("The partner's own id for it."),
	...BOUND_FIELDS,
});

const Lot = ReplyObject("ExplainedLot", {
	fg_id: Id("The lot."),
	batch_number: Type.String({ description: "Its batch number." }),
	expires_on: OrNull(Day("Its last day of use; null: it never expires.")),
	received_on: Day("When it was received."),
	in_date: Type.Boolean({ description: "It was in date on that day." }),
	recalled: Type.Boolean({ description: "It was recalled by then, and still is." }),
	received: Units("Units received."),
	corrected: Units("Units by which it was corrected."),
	available: Units("Units that were free."),
	held: Units("Units in holds."),
	allocated: Units("Units in orders."),
	consumed: Units("Units consumed."),
	shipped: Units("Units shipped."),
	quarantined: Units("Units in quarantine."),
	destroyed: Units("Units destroyed."),
	lapsed_units: Units("Units of `held` in holds that were past their end: they are free."),
	counts: Units("Units that count as available."),
	holds: Type.Array(Hold, { description: "Who held the held units." }),
	orders: Type.Array(Order, { description: "Which orders had the allocated units." }),
});

const Pool = ReplyObject("ExplainedPool", {
	brand_code: OrNull(Type.String({ description: "The brand of the pool; null: the shared pool." })),
	available_units: Units("Units of its lots that count as available."),
	promised_units: Units("Units promised from it."),
	demand: Type.Array(
		ReplyObject("ExplainedDemand", {
			reference: OrNull(Type.String({ description: "The reference of the demand; null: the safety buffer." })),
			units: Units("Units promised."),
		}),
		{ description: "To whom." },
	),
	lots: Type.Array(Lot, { description: "Its lots, in the order in which they are picked." }),
});

const Component = ReplyObject("ExplainedComponent", {
	formula_id: Id("The formula."),
	formula: Type.String({ description: "Its code." }),
	status: Type.Enum(["draft", "active", "archived"], { description: "Only an active formula is sold." }),
	per_kit: Units("Units of it in one kit."),
	available_units: Units("Units available in all the pools."),
	promised_units: Units("Units promised from all the pools."),
	atp_units: Units("Units available to promise."),
	pools: Type.Array(Pool, { description: "The pools, in the order in which they are drawn from." }),
});

export const Explanation = ReplyObject("Explanation", {
	sku: Type.String({ description: "The SKU." }),
	name: Type.String({ description: "Its name." }),
	kind: Type.Enum(["single", "kit", "non_physical"], { description: "A non-physical SKU is not counted." }),
	at: Instant("The instant that is explained."),
	today: Day("Its day in the time zone of the service, which decides what is in date."),
	key: KeyName("The public half of the key whose view is explained; null: all pools."),
	pools: Type.Array(OrNull(Type.String()), { description: "Brands of the pools; null: the shared pool." }),
	components: Type.Array(Component, { description: "What one kit is made of." }),
	counts: ReplyObject("ExplainedCounts", {
		available_qty: Units("Whole kits that are free."),
		atp_qty: Units("Whole kits that may be promised, which is what a reserve is granted."),
		promised_qty: Units("Kits that are promised already."),
		backorder_qty: Units("Kits that are promised beyond what is in stock."),
	}),
	notes: Type.Array(Type.String(), { description: "What a reader must know besides the figures." }),
});

const LOT_EXAMPLE = {
	fg_id: "0199f0a0-2222-7000-8000-000000000002",
	batch_number: "C-2609",
	expires_on: "2028-09-30",
	received_on: "2026-09-01",
	in_date: true,
	recalled: false,
	received: 245,
	corrected: 0,
	available: 240,
	held: 5,
	allocated: 0,
	consumed: 0,
	shipped: 0,
	quarantined: 0,
	destroyed: 0,
	lapsed_units: 0,
	counts: 240,
	holds: [
		{
			reservation_token: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
			external_ref: "cart-1",
			expires_at: "2026-09-06T12:15:00.000Z",
			lapsed: false,
			key: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc",
			units: 5,
			later: null,
		},
	],
	orders: [],
};

export const ExplainCount = adminOperation({
	id: "explain_count",
	method: "GET",
	path: "/admin/api/v1/counts/:sku",
	summary: "Explain a count",
	description:
		"Shows how the count of a SKU is computed, by pool, lot, hold, order and promised demand: from the ledger, now or at a past time, by the same rule as a check and a reserve. Recipes have no history: the current ones are used.",
	params: Type.Object({ sku: Text({ min: 1, max: MAX_NAME, description: "The SKU." }) }),
	query: Closed({
		key: Type.Optional(
			Text({
				min: 1,
				max: MAX_NAME,
				description: "As this key sees it: public half, name, or `partner/name`. All pools together by default.",
			}),
		),
		brand_code: Type.Optional(
			Text({ min: 1, max: MAX_NAME, description: "The `brand_code` that the key sends; without a key, one pool." }),
		),
		at: Type.Optional(Text({ min: 1, max: MAX_NAME, description: "The past time to explain, as RFC 3339 (now)." })),
	}),
	replies: { 200: Explanation },
	examples: {
		params: { sku: "EVENING" },
		replies: {
			200: {
				sku: "EVENING",
				name: "Evening set",
				kind: "kit",
				at: "2026-09-06T12:00:00.000Z",
				today: "2026-09-06",
				key: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc",
				pools: ["ACME"],
				components: [
					{
						formula_id: "0199f0a0-1111-7000-8000-000000000001",
						formula: "CALM-60",
						status: "active",
						per_kit: 2,
						available_units: 240,
						promised_units: 40,
						atp_units: 200,
						pools: [
							{
								brand_code: "ACME",
								available_units: 240,
								promised_units: 40,
								demand: [{ reference: "wholesale-17", units: 40 }],
								lots: [LOT_EXAMPLE],
							},
						],
					},
				],
				counts: { available_qty: 120, atp_qty: 100, promised_qty: 20, backorder_qty: 0 },
				notes: [],
			},
		},
		errors: {
			not_found: 'There is no SKU "EVNING": did you mean "EVENING"?',
			brand_mismatch: "This key is bound to another brand.",
			unknown_brand_code: 'There is no brand "NOPE" for this SKU.',
		},
	},
});

export const VerifyReport = ReplyObject("VerifyReport", {
	ok: Type.Boolean({ description: "There is no difference." }),
	as_of: Instant("The moment that was checked."),
	checked: ReplyObject("VerifyCounts", {
		lots: Units("Lots."),
		moves: Units("Moves of the ledger."),
		holds: Units("Holds."),
		parts: Units("Parts of holds."),
		keys: Units("Keys."),
		skus: Units("SKUs."),
	}),
	since: OrNull(
		Type.Object(
			{
				seal: Units("The number of the seal from which the run started."),
				sealed_at: Instant("The moment that the run before it checked."),
				whole_at: Instant("The moment that the last run over everything checked, whose seal it goes back to."),
				moves_upto: Units("The number of the last move that was not read again, because the seal covers it."),
				assumed_holds: Units(
					"Holds that moved again long after they had ended: their earlier moves were taken to be what their parts require.",
				),
			},
			{
				title: "VerifiedSince",
				description: "The seal from which a run with `since_seal` started; null: the run read everything.",
			},
		),
	),
	sealed: OrNull(
		Type.Object(
			{
				seal: Units("The number of the seal that this run left."),
				moves_upto: Units("The number of the last move that it covers: the last one that is older than a day."),
				digest: Type.String({ description: "SHA-256 of the seal and of all before it, in hexadecimal." }),
			},
			{
				title: "LeftSeal",
				description: "The seal that the run left; null: it found a difference, or another run left one meanwhile.",
			},
		),
	),
	differences_count: Units("Differences of all rules."),
	differences: Type.Array(
		ReplyObject("Difference", {
			rule: Type.Enum(Object.keys(RULES) as Rule[], { description: "The rule that is broken." }),
			meaning: Type.String({ description: "The rule in words." }),
			count: Units("Its differences."),
			examples: Type.Array(
				ReplyObject("DifferenceExample", {
					subject: Type.String({ description: "The object that differs." }),
					expected: Type.String({ description: "The expected value." }),
					found: Type.String({ description: "The value that was found." }),
				}),
				{ description: `The first ${MAX_EXAMPLES}.` },
			),
		}),
		{ description: "By rule." },
	),
});

export const VerifyLedger = adminWrite({
	id: "verify_ledger",
	method: "POST",
	path: "/admin/api/v1/verify",
	summary: "Prove the counts",
	description:
		"Recomputes every balance from the ledger and checks every rule of the stored rows, in one snapshot while the service keeps running, then the PDF of every certificate. A run that finds no difference leaves a seal; with `since_seal` a run continues from the last one, and reads only what has changed since or may still change. Stock is not changed. A node verifies one at a time, and others wait for their turn.",
	query: Closed({
		since_seal: Type.Optional(
			Type.Boolean({ description: "Continue from the last seal, if there is one; everything is read by default." }),
		),
	}),
	replies: { 200: VerifyReport, 202: StartedRun },
	examples: {
		replies: {
			200: {
				ok: false,
				as_of: "2026-09-06T12:00:00.000Z",
				checked: { lots: 12, moves: 4_200, holds: 310, parts: 322, keys: 4, skus: 9 },
				since: null,
				sealed: null,
				differences_count: 1,
				differences: [
					{
						rule: "lot-balance",
						meaning: RULES["lot-balance"],
						count: 1,
						examples: [{ subject: `lot ${LOT_EXAMPLE.fg_id}, available`, expected: "7", found: "6" }],
					},
				],
			},
			202: STARTED_RUN_EXAMPLE,
		},
		errors: { retry: RETRY_EXAMPLE, idempotency_conflict: CONFLICT_EXAMPLE },
	},
});
