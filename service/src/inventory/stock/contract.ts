import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { examplePage, listOf, listQuery } from "../../partners/http/list.ts";
import { operation } from "../../partners/http/operation.ts";
import { Day, Id, Instant, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";

/** Maximum number of lines in one check or reserve (contract, section 8). */
export const MAX_ITEMS = 100;
/** Maximum kits in one line (contract, section 8). */
export const MAX_QTY = 10_000;
/** The default page size of GET /products (settlements, section 7). */
export const PRODUCTS_PAGE_DEFAULT = 500;

export const RequestLine = RequestObject("RequestLine", {
	sku: Text({ min: 1, description: "What is sold, as listed by GET /api/v1/products." }),
	qty: Type.Integer({ exclusiveMinimum: 0, maximum: MAX_QTY, description: "Kits." }),
	brand_code: Type.Optional(
		Text({ min: 1, description: "The brand whose stock is drawn on; a key bound to a brand needs none." }),
	),
});

const Units = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });
const BrandCode = Type.Union([Type.String(), Type.Null()], {
	description: "The effective brand; null is the shared stock.",
});

const AvailabilityItem = ReplyObject("AvailabilityItem", {
	sku: Type.String(),
	brand_code: BrandCode,
	requested_qty: Type.Integer(),
	available_qty: Units("Kits free and in date."),
	atp_qty: Units("Kits one reserve would be granted now."),
	promised_qty: Units("Kits already promised to other demand, including demand beyond stock."),
	backorder_qty: Units("Kits promised beyond stock."),
	tracks_inventory: Type.Boolean({ description: "False for a fee or a discount, and for an unknown SKU." }),
	known: Type.Boolean({ description: "False for a SKU or a brand that does not exist." }),
	components: Type.Optional(
		Type.Array(
			ReplyObject("AvailabilityComponent", {
				formula_id: Id(),
				per_kit: Type.Integer(),
				available_units: Units(),
				atp_units: Units(),
			}),
			{ description: "For kits and for SKUs that take several units of one formula." },
		),
	),
});

export const BRAND_ERRORS = {
	unknown_brand_code: 'There is no brand "NOPE".',
	brand_mismatch: 'This key may not act for brand "ACME": name its own brand, or none.',
};
const CountedBrand = Type.Optional(
	Text({ min: 1, description: "The brand whose stock is counted; a key bound to a brand needs none." }),
);
const FORMULA_A = "0199f0a0-0000-7000-8000-00000000000a";
const FORMULA_B = "0199f0a0-0000-7000-8000-00000000000b";

export const Check = operation({
	id: "check",
	method: "POST",
	path: "/api/v1/check",
	scope: "atp.check",
	summary: "Ask what is available to promise",
	description:
		"Available-to-promise for up to 100 lines, each counted independently, over exactly the pools a reserve of the same line would draw from. Advisory: only a hold sets units aside.",
	body: RequestObject("CheckRequest", {
		items: Type.Array(RequestLine, {
			minItems: 1,
			maxItems: MAX_ITEMS,
			description: "The lines to count; each is counted independently.",
		}),
	}),
	replies: { 200: ReplyObject("Availability", { items: Type.Array(AvailabilityItem) }) },
	examples: {
		request: { items: [{ sku: "SBX-PLENTY", qty: 2 }] },
		replies: {
			200: {
				items: [
					{
						sku: "SBX-PLENTY",
						brand_code: "SANDBOX",
						requested_qty: 2,
						available_qty: 1000,
						atp_qty: 1000,
						promised_qty: 0,
						backorder_qty: 0,
						tracks_inventory: true,
						known: true,
					},
				],
			},
		},
		errors: { brand_mismatch: BRAND_ERRORS.brand_mismatch },
	},
});

const KITS = { on_hand: Units("Kits."), reserved: Units("Kits."), atp: Units("Kits.") };
const Totals = ReplyObject("InventoryTotals", KITS);

export const Inventory = operation({
	id: "inventory",
	method: "GET",
	path: "/api/v1/inventory",
	scope: "atp.inventory",
	summary: "Read the position of one SKU",
	description:
		"On hand, reserved and available to promise for one SKU, by pool and in total. Totals are computed over the pools together: a kit may mix pools, so they may differ from the sum of the rows.",
	query: Closed({
		sku: Text({ min: 1, description: "What is sold, as listed by GET /api/v1/products." }),
		brand_code: CountedBrand,
	}),
	replies: {
		200: ReplyObject("InventoryPosition", {
			sku: Type.String(),
			tracks_inventory: Type.Boolean(),
			components: Type.Optional(
				Type.Array(
					ReplyObject("InventoryComponent", {
						formula_id: Id(),
						per_kit: Type.Integer(),
						on_hand_units: Units(),
						reserved_units: Units(),
						atp_units: Units(),
					}),
				),
			),
			by_brand: Type.Array(ReplyObject("InventoryOfPool", { brand_code: BrandCode, ...KITS })),
			totals: Totals,
		}),
	},
	conditional: true,
	examples: {
		request: { sku: "SBX-LOW" },
		replies: {
			200: {
				sku: "SBX-LOW",
				tracks_inventory: true,
				by_brand: [{ brand_code: "SANDBOX", on_hand: 3, reserved: 1, atp: 2 }],
				totals: { on_hand: 3, reserved: 1, atp: 2 },
			},
		},
		errors: {
			not_found: '/sku: there is no SKU "SBX-NOPE".',
			...BRAND_ERRORS,
		},
	},
});

const Product = ReplyObject("Product", {
	sku: Type.String(),
	name: Type.String(),
	slug: Type.Union([Type.String(), Type.Null()]),
	kind: Type.Union([Type.Literal("single"), Type.Literal("kit"), Type.Literal("non_physical")]),
	brand_code: BrandCode,
	tracks_inventory: Type.Boolean(),
	components: Type.Array(
		ReplyObject("ProductComponent", { formula_id: Id(), name: Type.String(), per_kit: Type.Integer() }),
	),
	availability: ReplyObject("ProductAvailability", {
		available_qty: Units(),
		promised_qty: Units(),
		atp_qty: Units(),
		backorder_qty: Units(),
	}),
	earliest_expiry: Type.Union([Day("Soonest expiry among free, in-date lots."), Type.Null()]),
	current_coa: Type.Union([
		ReplyObject("CurrentCoa", { batch_number: Type.String(), verify_url: Type.String() }),
		Type.Null(),
	]),
	updated_at: Instant("When the catalogue entry last changed; counts are as of `as_of`."),
});

export const Products = operation({
	id: "products",
	method: "GET",
	path: "/api/v1/products",
	scope: "atp.products",
	summary: "List what can be sold",
	description:
		"Every sellable SKU with its availability for this key, in the order of catalogue changes. The last page still returns a cursor: keep it, and send it later to read what has changed since then.",
	query: listQuery({
		updated_since: Type.Optional(
			Text({ min: 1, max: 64, description: "RFC 3339; only SKUs whose catalogue entry changed at or after it." }),
		),
		brand_code: CountedBrand,
		sku: Type.Optional(Text({ min: 1, description: "Only this SKU, exactly." })),
	}),
	replies: {
		200: listOf(Product, {
			title: "ProductPage",
			asOf: "Pass it as `updated_since` next time to miss no change. The counts are at least as recent.",
		}),
	},
	conditional: true,
	examples: {
		request: { limit: 1 },
		replies: {
			200: {
				items: [
					{
						sku: "SBX-KIT",
						name: "Sandbox kit",
						slug: null,
						kind: "kit",
						brand_code: "SANDBOX",
						tracks_inventory: true,
						components: [
							{ formula_id: FORMULA_A, name: "Sandbox formula A", per_kit: 1 },
							{ formula_id: FORMULA_B, name: "Sandbox formula B", per_kit: 2 },
						],
						availability: { available_qty: 100, promised_qty: 0, atp_qty: 100, backorder_qty: 0 },
						earliest_expiry: "2027-12-31",
						current_coa: null,
						updated_at: "2026-09-06T12:00:00.000Z",
					},
				],
				next_cursor: "eyJhZnRlciI6NH0",
				has_more: false,
				as_of: "2026-09-06T12:00:00.000Z",
			},
		},
		errors: BRAND_ERRORS,
	},
});

/** The brand filter of a list about one brand's own stock; an unbound key must name one. */
const OwnBrand = Type.Optional(
	Text({ min: 1, description: "The brand. A key bound to a brand needs none; an unbound key must name one." }),
);
const Skus = Type.Array(Type.String(), { description: "SKUs whose recipe has the formula, by name." });
export const FormulaSummary = ReplyObject("FormulaSummary", {
	formula_id: Id(),
	name: Type.String(),
	skus: Skus,
	on_hand_units: Units("In the brand's own pool: free, held and allocated, in date."),
	reserved_units: Units("In the brand's own pool: held and allocated, in date, and promised."),
	promised_units: Units("Of the brand's own pool: demand without units bound to it, and the safety buffer."),
	quarantined_units: Units("In the brand's own pool, in date or not."),
	expired_units: Units("In the brand's own pool: free units of lots that are out of date."),
	shippable_units: Units(
		"What one reserve would be granted from the brand's own pool alone: free and in date, less promised.",
	),
	shared_shippable_units: Units("The same from the shared pool alone; 0 for a key without access to it."),
	prepaid_units: Units(
		"From the mirror of prepaid units; 0 when the mirror lacks the formula. Changes no other count.",
	),
	earliest_expiry: Type.Union([
		Day("Soonest expiry among free, in-date lots of the pools that the key draws on."),
		Type.Null(),
	]),
});

export const Summary = operation({
	id: "inventorySummary",
	method: "GET",
	path: "/api/v1/inventory/summary",
	scope: "atp.summary",
	summary: "List what can be shipped, by formula",
	description:
		"One row for each formula, active or archived, that a SKU is made of, counted in units for one brand, in the order of catalogue changes. A formula without stock has a row of zeros; no unit of an archived formula is shippable. The last page still returns a cursor: keep it and come back for formulas that are new or changed. Counts are as of `as_of`.",
	query: listQuery({ brand_code: OwnBrand }),
	replies: { 200: listOf(FormulaSummary, { title: "SummaryPage", asOf: "When the counts were true." }) },
	conditional: true,
	examples: {
		request: { limit: 1 },
		replies: {
			200: examplePage({
				formula_id: FORMULA_A,
				name: "Sandbox formula A",
				skus: ["SBX-KIT", "SBX-PLENTY"],
				on_hand_units: 1000,
				reserved_units: 20,
				promised_units: 5,
				quarantined_units: 0,
				expired_units: 0,
				shippable_units: 980,
				shared_shippable_units: 0,
				prepaid_units: 40,
				earliest_expiry: "2027-12-31",
			}),
		},
		errors: BRAND_ERRORS,
	},
});

const Receipt = ReplyObject("Receipt", {
	receipt_id: Id(),
	received_on: Day("The day on which the units came, in the operator's time zone."),
	formula_id: Id(),
	formula_name: Type.String(),
	skus: Skus,
	batch_number: Type.String(),
	expires_on: Type.Union([Day("The last day on which the lot may be used."), Type.Null()]),
	units_received: Units("Units of the lot that came on that day."),
	units_available: Units("Of the whole lot, as of `as_of`: free and in date."),
	units_quarantined: Units("Of the whole lot, as of `as_of`."),
	units_corrected: Type.Integer({
		description: "Units added, or, negative, taken off, by recounts of this receipt.",
	}),
	updated_at: Instant("When the receipt last changed; reserves and sales do not change it."),
});
const GivenDay = (description: string) => Type.Optional(Text({ min: 1, max: 10, description }));

export const Receipts = operation({
	id: "receipts",
	method: "GET",
	path: "/api/v1/receipts",
	scope: "atp.receipts",
	summary: "List what came into the brand's own stock",
	description:
		"One row for each lot and day on which units of it came, in the order of changes: a receipt appears again when more units arrive on its day, when it is corrected, and when units of its lot go into quarantine, come out of it or are destroyed. The last page still returns a cursor: keep it, and send it later to read what has changed since then.",
	query: listQuery({
		from: GivenDay("`YYYY-MM-DD`; only receipts of that day and later ones."),
		to: GivenDay("`YYYY-MM-DD`; only receipts of that day and earlier ones."),
		sku: Type.Optional(Text({ min: 1, description: "Only of the formulas that this SKU is made of." })),
		batch_number: Type.Optional(Text({ min: 1, description: "Only of lots with this batch number, exactly." })),
		brand_code: OwnBrand,
	}),
	replies: { 200: listOf(Receipt, { title: "ReceiptPage", asOf: "The moment at which lot quantities were read." }) },
	conditional: true,
	examples: {
		request: { from: "2026-09-01", to: "2026-09-30" },
		replies: {
			200: examplePage({
				receipt_id: "0199f0a0-0000-7000-8000-0000000000f1",
				received_on: "2026-09-04",
				formula_id: FORMULA_A,
				formula_name: "Sandbox formula A",
				skus: ["SBX-KIT", "SBX-PLENTY"],
				batch_number: "SBX-1",
				expires_on: "2027-12-31",
				units_received: 1000,
				units_available: 980,
				units_quarantined: 0,
				units_corrected: -5,
				updated_at: "2026-09-05T09:30:00.000Z",
			}),
		},
		errors: BRAND_ERRORS,
	},
});
