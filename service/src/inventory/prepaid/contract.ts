import Type from "typebox";
import { operation } from "../../partners/http/operation.ts";
import { GivenId, Instant, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";

/** Items of one mirror (settlements, section 7). */
const MAX_MIRROR_ITEMS = 5_000;
/** Units of one item: as many as a lot may have. */
const MAX_PREPAID_UNITS = 1_000_000_000;
/** The highest sequence: above it JSON readers begin to round. */
const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER;

/** What is prepaid of one formula. */
export const PrepaidItem = RequestObject("PrepaidItem", {
	sku: Type.Optional(Text({ min: 1, description: "Names the one formula that this SKU is made of. Not a kit." })),
	formula_id: Type.Optional(GivenId("Names the formula. Exactly one of `sku` and `formula_id` is given.")),
	prepaid_units: Type.Integer({ minimum: 0, maximum: MAX_PREPAID_UNITS, description: "Units of the formula." }),
	used_units: Type.Optional(
		Type.Integer({ minimum: 0, maximum: MAX_PREPAID_UNITS, description: "Units used of them; kept beside them." }),
	),
});

export const ReserveCache = operation({
	id: "reserveCache",
	method: "POST",
	path: "/api/v1/reserve-cache",
	scope: "atp.reserve_cache",
	summary: "Push the mirror of prepaid units",
	description:
		"Replaces a brand's whole mirror of prepaid units, which `GET /api/v1/inventory/summary` shows as `prepaid_units`. It informs and never changes a count. A push whose `sequence` is not above the one that is kept changes nothing and answers `applied: false` with what is kept.",
	body: RequestObject("ReserveCacheRequest", {
		brand_code: Text({ min: 1, description: "The brand whose mirror it is." }),
		sequence: Type.Integer({
			minimum: 0,
			maximum: MAX_SEQUENCE,
			description: "The console's own count of its pushes: it grows with each of them.",
		}),
		as_of: Text({ min: 1, max: 64, description: "RFC 3339; when it was so." }),
		items: Type.Array(PrepaidItem, { maxItems: MAX_MIRROR_ITEMS, description: "The whole mirror." }),
	}),
	replies: {
		200: ReplyObject("ReserveCache", {
			brand_code: Type.String(),
			sequence: Type.Integer({ description: "Of the mirror that is now kept." }),
			applied: Type.Boolean({ description: "False: the push was not above what is kept, and nothing changed." }),
			items: Type.Integer({ minimum: 0, description: "Items of the mirror that is now kept." }),
			replaced: Type.Integer({ minimum: 0, description: "Items of the mirror before, which are gone." }),
			mirrored_at: Instant("When the mirror that is now kept was written."),
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
