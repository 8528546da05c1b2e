import Type from "typebox";
import { REASON, REASON_QUERY } from "../../partners/admin/headers.ts";
import { adminEdit, adminOperation, adminWrite, WRITE_ERRORS } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { CODE_MAX } from "../stock/admin-contract.ts";
import { MAX_UNITS } from "../stock/limits.ts";
import { MAX_ENTRIES_OF_REFERENCE, MAX_FULL_REFERENCE_LENGTH, MAX_REFERENCE_LENGTH } from "./limits.ts";

/** A code, or a text to search for. */
export const Code = (description: string) => Text({ min: 1, max: CODE_MAX, description });
export const BrandCode = OrNull(Code("The brand; null: the shared pool."));
export const Shared = Type.Optional(
	Type.Boolean({ description: "`true`: use the shared stock too when the brand's own is not enough." }),
);
export const NO_FORMULA = 'There is no formula "CALM": did you mean "CALM-60"?';
export const NO_BRAND = 'There is no brand "ACNE": did you mean "ACME"?';

const FormulaCode = Type.String({ description: "Code of the formula." });
const PoolBrand = OrNull(Type.String({ description: "The brand of the pool; null: the shared pool." }));
const Source = OrNull(
	Type.String({ description: "The label platform that reported it; null: an operator entered it." }),
);
const ENTRY = {
	formula: FormulaCode,
	brand_code: PoolBrand,
	units: Type.Integer({ description: "Units promised." }),
	since: Instant("When it was promised."),
};
const Entry = ReplyObject("ListedDemand", {
	source: Source,
	reference: Type.String({ description: "It begins with the source if there is one: `shipstation:se-1001`." }),
	...ENTRY,
});
const ENTRY_EXAMPLE = {
	source: null,
	reference: "PO-17",
	formula: "CALM-60",
	brand_code: "ACME",
	units: 40,
	since: "2026-11-22T10:00:00.000Z",
};

export const ListDemand = adminOperation({
	id: "list_demand",
	method: "GET",
	path: "/admin/api/v1/demand",
	summary: "List demand",
	description:
		"Units promised elsewhere, without units bound to them, the oldest first. Safety buffers are not included.",
	query: pageQuery({
		reference: Type.Optional(
			Text({ min: 1, max: MAX_FULL_REFERENCE_LENGTH, description: "Only demand under this reference." }),
		),
		formula: Type.Optional(Code("Only demand of the formula of this code.")),
		brand_code: Type.Optional(Code("Only demand of this brand's pool.")),
		q: Type.Optional(Code("Only demand whose reference, source or formula contains this.")),
	}),
	replies: { 200: pageOf(Entry, "DemandList") },
	examples: { replies: { 200: { items: [ENTRY_EXAMPLE], next_cursor: null } }, errors: { not_found: NO_BRAND } },
});

const Named = (max: number) => Type.Object({ reference: Text({ min: 1, max, description: "The reference." }) });
const PARAMS_EXAMPLE = { reference: ENTRY_EXAMPLE.reference };

const Demand = ReplyObject("Demand", {
	reference: Type.String({ description: "The reference." }),
	source: Source,
	items: Type.Array(Type.Object(ENTRY), { description: "By formula and brand, the shared pool last." }),
});
const { source, reference, ...ITEM_EXAMPLE } = ENTRY_EXAMPLE;
const DEMAND_EXAMPLE = { reference, source, items: [ITEM_EXAMPLE] };
const NO_DEMAND = 'There is no demand under "PO-17".';

export const GetDemand = adminOperation({
	id: "get_demand",
	method: "GET",
	path: "/admin/api/v1/demand/:reference",
	summary: "Read the demand under a reference",
	description: "Of every formula and pool.",
	params: Named(MAX_FULL_REFERENCE_LENGTH),
	conditional: true,
	replies: { 200: Demand },
	examples: { params: PARAMS_EXAMPLE, replies: { 200: DEMAND_EXAMPLE }, errors: { not_found: NO_DEMAND } },
});

const PUT_ENTRY = {
	formula: Code("Code of the formula."),
	brand_code: BrandCode,
	units: Type.Integer({ minimum: 1, maximum: MAX_UNITS, description: "Units promised." }),
};
const REPORTED = "shipstation:se-1001 is reported by shipstation: change or cancel the order there.";

export const PutDemand = adminEdit({
	id: "put_demand",
	method: "PUT",
	path: "/admin/api/v1/demand/:reference",
	summary: "Replace the demand under a reference",
	description:
		"Replaces all of it: entries that are not named are removed. Demand that a label platform reports cannot be replaced.",
	params: Named(MAX_REFERENCE_LENGTH),
	body: RequestObject("PutDemandRequest", {
		items: Type.Array(RequestObject("DemandEntry", PUT_ENTRY), {
			minItems: 1,
			maxItems: MAX_ENTRIES_OF_REFERENCE,
			description: "Each formula and brand once.",
		}),
	}),
	replies: { 200: Demand, 201: Demand },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { items: [{ formula: "CALM-60", brand_code: "ACME", units: 40 }] },
		replies: { 200: DEMAND_EXAMPLE, 201: DEMAND_EXAMPLE },
		errors: {
			...WRITE_ERRORS,
			not_found: NO_FORMULA,
			not_possible_now: REPORTED,
		},
	},
});

/** The counts of entries that a write of demand or buffers changed. */
export const CHANGES = {
	created: Type.Integer({ description: "Entries created." }),
	changed: Type.Integer({ description: "Entries whose units changed, or that were removed." }),
	unchanged: Type.Integer({ description: "Entries that were unchanged." }),
};
export const CHANGES_EXAMPLE = { created: 1, changed: 0, unchanged: 0 };
const UNCHANGED_EXAMPLE = { created: 0, changed: 0, unchanged: 1 };

const DemandAdded = ReplyObject("DemandAdded", CHANGES);

export const AddDemand = adminWrite({
	id: "add_demand",
	method: "POST",
	path: "/admin/api/v1/demand",
	summary: "Enter demand",
	description:
		"Enters demand of one formula and pool under a reference. It replaces the demand that they have under this reference, and leaves other formulas and pools alone.",
	body: RequestObject("AddDemandRequest", {
		reference: Text({
			min: 1,
			max: MAX_REFERENCE_LENGTH,
			description: "Chosen by you: under it the demand is replaced, shipped or cleared.",
		}),
		...PUT_ENTRY,
	}),
	replies: { 200: DemandAdded, 201: DemandAdded },
	examples: {
		request: { reference: "PO-17", formula: "CALM-60", brand_code: "ACME", units: 40 },
		replies: { 200: UNCHANGED_EXAMPLE, 201: CHANGES_EXAMPLE },
		errors: { not_found: NO_FORMULA },
	},
});

export const ClearDemand = adminEdit({
	id: "clear_demand",
	method: "DELETE",
	path: "/admin/api/v1/demand/:reference",
	summary: "Clear the demand under a reference",
	description:
		"Of every formula and pool. No unit moves. Demand that a platform reports appears again with the platform's next report.",
	params: Named(MAX_FULL_REFERENCE_LENGTH),
	query: REASON_QUERY,
	replies: {
		200: ReplyObject("ClearedDemand", {
			cleared: Type.Integer({ description: "Entries removed; 0: there was nothing under the reference." }),
		}),
	},
	examples: {
		params: PARAMS_EXAMPLE,
		replies: { 200: { cleared: 1 } },
		errors: { not_found: NO_DEMAND },
	},
});

export const ShipDemand = adminEdit({
	id: "ship_demand",
	method: "POST",
	path: "/admin/api/v1/demand/:reference/ship",
	summary: "Record that demand was shipped",
	description:
		"Removes it, and moves its units from available to shipped, first expired first out. Units that could not be found in any lot become an exception.",
	params: Named(MAX_FULL_REFERENCE_LENGTH),
	body: RequestObject("ShipDemandRequest", {
		shared: Shared,
		...REASON,
	}),
	replies: {
		200: ReplyObject("ShippedDemand", {
			reference: Type.String({ description: "The reference." }),
			drawn: Type.Array(
				Type.Object({ fg_id: Id("The lot."), units: Type.Integer({ description: "Units that left it." }) }),
				{ description: "By lot." },
			),
			drawn_units: Type.Integer({ description: "Units that left the stock." }),
			missing_units: Type.Integer({ description: "Units that could not be found in any lot; they are an exception." }),
		}),
	},
	examples: {
		params: PARAMS_EXAMPLE,
		request: { shared: true },
		replies: {
			200: {
				reference: "PO-17",
				drawn: [{ fg_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7e", units: 40 }],
				drawn_units: 40,
				missing_units: 0,
			},
		},
		errors: {
			...WRITE_ERRORS,
			not_found: NO_DEMAND,
			not_possible_now:
				"shipstation:se-1001 is reported by shipstation, and drawn down when shipstation reports that it was shipped.",
		},
	},
});

const BUFFER = {
	formula: FormulaCode,
	brand_code: PoolBrand,
	units: Type.Integer({ description: "Units kept back." }),
};
const BUFFER_EXAMPLE = { formula: "CALM-60", brand_code: "ACME", units: 20 };

export const ListBuffers = adminOperation({
	id: "list_buffers",
	method: "GET",
	path: "/admin/api/v1/buffers",
	summary: "List safety buffers",
	description: "Units kept back from being promised, by formula and brand, the shared pool last.",
	query: pageQuery({
		formula: Type.Optional(Code("Only buffers of the formula of this code.")),
		brand_code: Type.Optional(Code("Only buffers of this brand's pool.")),
	}),
	replies: { 200: pageOf(ReplyObject("Buffer", BUFFER), "Buffers") },
	examples: { replies: { 200: { items: [BUFFER_EXAMPLE], next_cursor: null } }, errors: { not_found: NO_FORMULA } },
});

const PutBufferReply = ReplyObject("PutBuffer", { ...BUFFER, ...CHANGES });

export const PutBuffer = adminWrite({
	id: "put_buffer",
	method: "PUT",
	path: "/admin/api/v1/buffers",
	summary: "Set a safety buffer",
	description: "How many units of a formula are kept back in a pool.",
	body: RequestObject("PutBufferRequest", {
		formula: Code("Code of the formula."),
		brand_code: BrandCode,
		units: Type.Integer({ minimum: 0, maximum: MAX_UNITS, description: "Units kept back; 0 ends the buffer." }),
	}),
	replies: { 200: PutBufferReply, 201: PutBufferReply },
	examples: {
		request: BUFFER_EXAMPLE,
		replies: { 200: { ...BUFFER_EXAMPLE, ...UNCHANGED_EXAMPLE }, 201: { ...BUFFER_EXAMPLE, ...CHANGES_EXAMPLE } },
		errors: { not_found: NO_FORMULA },
	},
});
