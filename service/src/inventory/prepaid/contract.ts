import Type from "typebox";
import { operation } from "../../partners/http/operation.ts";
import { GivenId, Instant, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";

/** Maximum number of items in one mirror (settlements, section 7). */
const MAX_MIRROR_ITEMS = 5_000;
/** Maximum units of one item; equals the limit of a lot. */
const MAX_PREPAID_UNITS = 1_000_000_000;
/** The highest sequence; above it, JSON parsers lose precision. */
const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER;

export const PrepaidItem = RequestObject("PrepaidItem", {
	sku: Type.Optional(Text({ min: 1, description: "Names the one formula that this SKU is made of. Not a kit." })),
	formula_id: Type.Optional(GivenId("Names the formula. Exactly one of `sku` and `formula_id` is given.")),
	prepaid_units: Type.Integer({ minimum: 0, maximum: MAX_PREPAID_UNITS, description: "Units of the formula." }),
	used_units: Type.Optional(
		Type.Integer({
			minimum: 0,
			maximum: MAX_PREPAID_UNITS,
			description: "Prepaid units already used; stored, never counted.",
		}),
	),
});

export const ReserveCache = operation({
	id: "reserveCache",
	method: "POST",
	path: "/api/v1/reserve-cache",
	scope: "atp.reserve_cache",
	summary: "Push the mirror of prepaid units",
	description:
		"Replaces a brand's whole mirror of prepaid units, which `GET /api/v1/inventory/summary` shows as `prepaid_units`. The mirror is informational and never changes a count. A push whose `sequence` is not above the stored one changes nothing and returns `applied: false` with the stored mirror.",
	body: RequestObject("ReserveCacheRequest", {
		brand_code: Text({ min: 1, description: "The brand whose mirror it is." }),
		sequence: Type.Integer({
			minimum: 0,
			maximum: MAX_SEQUENCE,
			description: "The console's own counter of its pushes: every push must raise it.",
		}),
		as_of: Text({ min: 1, max: 64, description: "RFC 3339; the moment that the mirror describes." }),
		items: Type.Array(PrepaidItem, { maxItems: MAX_MIRROR_ITEMS, description: "The whole mirror." }),
	}),
	replies: {
		200: ReplyObject("ReserveCache", {
			brand_code: Type.String(),
			sequence: Type.Integer({ description: "The sequence of the mirror now stored." }),
			applied: Type.Boolean({
				description: "False: the sequence was not above the stored one, and nothing changed.",
			}),
			items: Type.Integer({ minimum: 0, description: "Items of the mirror now stored." }),
			replaced: Type.Integer({ minimum: 0, description: "Items of the previous mirror, now removed." }),
			mirrored_at: Instant("When the mirror now stored was written."),
		}),
	},
	examples: {
		request: {
			brand_code: "SANDBOX",
			sequence: 1,
			as_of: "2026-09-06T12:00:00Z",
			items: [{ sku: "SBX-PLENTY", prepaid_units: 40, used_units: 3 }],
		},
		replies: {
			200: {
				brand_code: "SANDBOX",
				sequence: 1,
				applied: true,
				items: 1,
				replaced: 0,
				mirrored_at: "2026-09-06T12:00:00.000Z",
			},
		},
		errors: {
			brand_mismatch: 'This key may not act for brand "ACME": name its own brand, or none.',
			invalid_item: '/items/0/sku: there is no SKU "SBX-NOPE".',
			unknown_brand_code: 'There is no brand "NOPE".',
		},
	},
});
