import Type from "typebox";
import { listOf, listQuery } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { Day, Id, Instant, Text } from "../http/text.ts";

/** Lines in one check or reserve (contract, section 8). */
export const MAX_ITEMS = 100;
/** Kits in one line (contract, section 8). */
export const MAX_QTY = 10_000;
/** GET /products answers this many unless told otherwise (settlements, section 7). */
export const PRODUCTS_PAGE_DEFAULT = 500;

/** One line of a check or a reserve. */
export const RequestLine = Type.Object(
	{
		sku: Text({ min: 1, description: "What is sold, as listed by GET /api/v1/products." }),
		qty: Type.Integer({ exclusiveMinimum: 0, maximum: MAX_QTY, description: "Kits." }),
		brand_code: Type.Optional(
			Text({ min: 1, description: "The brand whose stock is drawn on; a key bound to a brand needs none." }),
		),
	},
	{ additionalProperties: false, title: "RequestLine" },
);

const Units = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });
const BrandCode = Type.Union([Type.String(), Type.Null()], {
	description: "The effective brand; null is the shared stock.",
});

const AvailabilityItem = Type.Object(
	{
		sku: Type.String(),
		brand_code: BrandCode,
		requested_qty: Type.Integer(),
		available_qty: Units("Kits free and in date."),
		atp_qty: Units("Kits one reserve would be granted now."),
		promised_qty: Units("Kits already promised to other demand, including demand beyond stock."),
		backorder_qty: Units("Kits promised beyond stock."),
		tracks_inventory: Type.Boolean({ description: "False for a fee or a discount, and for what is unknown." }),
		known: Type.Boolean({ description: "False for a SKU or a brand that does not exist." }),
		components: Type.Optional(
			Type.Array(
				Type.Object(
					{ formula_id: Id(), per_kit: Type.Integer(), available_units: Units(), atp_units: Units() },
					{ title: "AvailabilityComponent" },
				),
				{ description: "For kits and for SKUs that take several units of one formula." },
			),
		),
	},
	{ title: "AvailabilityItem" },
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
		"Available-to-promise for up to 100 lines, each counted by itself, over exactly the pools a reserve of the same line would draw from. Advisory: only a hold sets units aside.",
	body: Type.Object(
		{ items: Type.Array(RequestLine, { minItems: 1, maxItems: MAX_ITEMS }) },
		{ additionalProperties: false, title: "CheckRequest" },
	),
	replies: { 200: Type.Object({ items: Type.Array(AvailabilityItem) }, { title: "Availability" }) },
	errors: ["brand_mismatch"],
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
		errors: { brand_mismatch: 'This key may not act for brand "ACME": name its own brand, or none.' },
	},
});

const KITS = { on_hand: Units("Kits."), reserved: Units("Kits."), atp: Units("Kits.") };
const Totals = Type.Object(KITS, { title: "InventoryTotals" });

export const Inventory = operation({
	id: "inventory",
	method: "GET",
	path: "/api/v1/inventory",
	scope: "atp.inventory",
	summary: "Read the position of one SKU",
	description:
		"On hand, reserved and available to promise for one SKU, by pool and in total. Totals are computed over the pools together: a kit may mix pools, so they may differ from the sum of the rows.",
	query: Type.Object(
		{ sku: Text({ min: 1 }), brand_code: Type.Optional(Text({ min: 1 })) },
		{ additionalProperties: false },
	),
	replies: {
		200: Type.Object(
			{
				sku: Type.String(),
				tracks_inventory: Type.Boolean(),
				components: Type.Optional(
					Type.Array(
						Type.Object(
							{
								formula_id: Id(),
								per_kit: Type.Integer(),
								on_hand_units: Units(),
								reserved_units: Units(),
								atp_units: Units(),
							},
							{ title: "InventoryComponent" },
						),
					),
				),
				by_brand: Type.Array(Type.Object({ brand_code: BrandCode, ...KITS }, { title: "InventoryOfPool" })),
				totals: Totals,
			},
			{ title: "InventoryPosition" },
		),
	},
	errors: ["brand_mismatch", "not_found", "unknown_brand_code"],
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
			not_found: 'there is no SKU "SBX-NOPE"',
			unknown_brand_code: 'there is no brand "NOPE"',
			brand_mismatch: 'This key may not act for brand "ACME": name its own brand, or none.',
		},
	},
});

const Product = Type.Object(
	{
		sku: Type.String(),
		name: Type.String(),
		slug: Type.Union([Type.String(), Type.Null()]),
		kind: Type.Union([Type.Literal("single"), Type.Literal("kit"), Type.Literal("non_physical")]),
		brand_code: BrandCode,
		tracks_inventory: Type.Boolean(),
		components: Type.Array(
			Type.Object({ formula_id: Id(), name: Type.String(), per_kit: Type.Integer() }, { title: "ProductComponent" }),
		),
		availability: Type.Object(
			{ available_qty: Units(), promised_qty: Units(), atp_qty: Units(), backorder_qty: Units() },
			{ title: "ProductAvailability" },
		),
		earliest_expiry: Type.Union([Day("Soonest expiry among free, in-date lots."), Type.Null()]),
		current_coa: Type.Union([
			Type.Object({ batch_number: Type.String(), verify_url: Type.String() }, { title: "CurrentCoa" }),
			Type.Null(),
		]),
		updated_at: Instant("When the catalogue entry last changed; counts are as of `as_of`."),
	},
	{ title: "Product" },
);

export const Products = operation({
	id: "products",
	method: "GET",
	path: "/api/v1/products",
	scope: "atp.products",
	summary: "List what can be sold",
	description:
		"Every sellable SKU with its availability for this key, in the order of catalogue changes. The last page still returns a cursor: keep it and come back for what changed since.",
	query: listQuery({
		updated_since: Type.Optional(
			Text({ min: 1, max: 64, description: "RFC 3339; only SKUs whose catalogue entry changed at or after it." }),
		),
		brand_code: Type.Optional(Text({ min: 1 })),
		sku: Type.Optional(Text({ min: 1 })),
	}),
	replies: { 200: listOf(Product, { title: "ProductPage", asOf: "When the counts were true." }) },
	errors: ["brand_mismatch", "unknown_brand_code"],
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
		errors: {
			unknown_brand_code: 'there is no brand "NOPE"',
			brand_mismatch: 'This key may not act for brand "ACME": name its own brand, or none.',
		},
	},
});
