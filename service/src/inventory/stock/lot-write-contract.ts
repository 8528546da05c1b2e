import Type from "typebox";
import { CONFLICT_EXAMPLE, DRY_RUN, DRY_RUN_REPLY, REASON_MAX, RETRY_EXAMPLE } from "../../partners/admin/headers.ts";
import { adminEdit, adminWrite } from "../../partners/admin/operation.ts";
import { Id, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { CODE_MAX, LOT_EXAMPLE, NamedLot, NO_LOT } from "./admin-contract.ts";
import { MAX_LOCATION_LENGTH, MAX_UNITS } from "./limits.ts";

/** Characters of a day, YYYY-MM-DD. */
const DAY_LENGTH = 10;

const Reason = (description: string) => Text({ min: 1, max: REASON_MAX, description });
const Code = (description: string) => Text({ min: 1, max: CODE_MAX, description });
const GivenDay = (description: string) =>
	Type.Optional(OrNull(Text({ min: DAY_LENGTH, max: DAY_LENGTH, description: `\`YYYY-MM-DD\`; ${description}` })));

const RECEIPT = {
	units: Type.Integer({ minimum: 1, maximum: MAX_UNITS, description: "Units that came." }),
	accept_recalled: Type.Optional(
		Type.Boolean({
			description:
				"`true`: the units are good although a lot of the batch number is recalled, and become free. Requires a reason, and the role `operator`.",
		}),
	),
	...DRY_RUN,
};
const RECEIPT_REASON = "Such as a delivery note; it is kept in the ledger, in place of the batch number.";

const Received = ReplyObject("ReceivedUnits", {
	fg_id: Id("The lot."),
	received: Type.Integer({ description: "Units that it has received in all." }),
	quarantined: Type.Boolean({
		description: "The units went into quarantine, because a lot of the batch number is recalled.",
	}),
	...DRY_RUN_REPLY,
});
const RECEIVED_EXAMPLE = { fg_id: LOT_EXAMPLE.fg_id, received: 120, quarantined: false };
const PARAMS_EXAMPLE = { fg_id: LOT_EXAMPLE.fg_id };
const ERRORS = { not_found: NO_LOT, retry: RETRY_EXAMPLE, idempotency_conflict: CONFLICT_EXAMPLE };
const ROLE_NEEDED = "Accepting units of a recalled batch number as good requires the role operator.";

export const ReceiveBatch = adminWrite({
	id: "receive_batch",
	method: "POST",
	path: "/admin/api/v1/lots",
	summary: "Receive units of a batch",
	description: "Into the lot of this formula, brand and batch number, which is created if there is none.",
	body: RequestObject("ReceiveBatchRequest", {
		formula: Code("Code of the formula."),
		brand_code: OrNull(Code("The brand; null: the shared pool.")),
		batch_number: Code("The batch number, as it is on the label."),
		expires_on: GivenDay(
			"the last day of use; null: never. Without it the day on record; a new lot then never expires.",
		),
		received_on: GivenDay("the day on which a new lot came (today)."),
		reason: Type.Optional(Reason(RECEIPT_REASON)),
		new_batch: Type.Optional(
			Type.Boolean({ description: "`true`: create a batch although its number is nearly that of another." }),
		),
		...RECEIPT,
	}),
	replies: { 200: Received, 201: Received },
	examples: {
		request: { formula: "CALM-60", brand_code: "ACME", batch_number: "C-2611", expires_on: "2028-11-30", units: 120 },
		replies: { 200: { ...RECEIVED_EXAMPLE, received: 240 }, 201: RECEIVED_EXAMPLE },
		errors: { ...ERRORS, not_found: 'There is no formula "CALM": did you mean "CALM-60"?', forbidden: ROLE_NEEDED },
	},
});

export const ReceiveUnits = adminEdit({
	id: "receive_units",
	method: "POST",
	path: "/admin/api/v1/lots/:fg_id/receive",
	summary: "Receive more units of a lot",
	description: "They came today and are free, unless a lot of the batch number is recalled.",
	params: NamedLot,
	body: RequestObject("ReceiveUnitsRequest", { ...RECEIPT, reason: Type.Optional(Reason(RECEIPT_REASON)) }),
	replies: { 200: Received },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { units: 120, reason: "delivery note 7" },
		replies: { 200: { ...RECEIVED_EXAMPLE, received: 240 } },
		errors: { ...ERRORS, not_possible_now: "A lot can have at most 1000000000 units.", forbidden: ROLE_NEEDED },
	},
});

export const CorrectLot = adminEdit({
	id: "correct_lot",
	method: "POST",
	path: "/admin/api/v1/lots/:fg_id/correct",
	summary: "Correct the free units of a lot",
	description: "After a recount: adds free units, or takes them off. Held units are not touched.",
	params: NamedLot,
	body: RequestObject("CorrectLotRequest", {
		units: Type.Integer({
			minimum: -MAX_UNITS,
			maximum: MAX_UNITS,
			description: "Units to add; negative: units to take off. Not 0.",
		}),
		reason: Type.Optional(Reason("The reason; it is kept in the ledger.")),
		...DRY_RUN,
	}),
	replies: {
		200: ReplyObject("CorrectedLot", {
			fg_id: Id("The lot."),
			moved: Type.Integer({ description: "Units added, or taken off." }),
			replaced: Type.Integer({ description: "Always 0: no held unit is touched." }),
			lost: Type.Integer({ description: "Always 0." }),
			quarantined: Type.Boolean({
				description: "The added units went into quarantine, because a lot of the batch number is recalled.",
			}),
			...DRY_RUN_REPLY,
		}),
	},
	examples: {
		params: PARAMS_EXAMPLE,
		request: { units: -3, reason: "counted on the shelf" },
		replies: { 200: { fg_id: LOT_EXAMPLE.fg_id, moved: 3, replaced: 0, lost: 0, quarantined: false } },
		errors: {
			...ERRORS,
			not_possible_now:
				"The lot of batch C-2611 has 2 free units, so 3 cannot be taken off; destroy takes held units too.",
		},
	},
});

export const LocateLot = adminEdit({
	id: "locate_lot",
	method: "POST",
	path: "/admin/api/v1/lots/:fg_id/locate",
	summary: "Record where a lot is",
	description: "Pick lists are sorted by it. No unit moves.",
	params: NamedLot,
	body: RequestObject("LocateLotRequest", {
		location: OrNull(
			Text({ min: 1, max: MAX_LOCATION_LENGTH, description: "The place, as your people write it; null removes it." }),
		),
	}),
	replies: {
		200: ReplyObject("LocatedLot", {
			fg_id: Id("The lot."),
			location: OrNull(Type.String({ description: "Its place; null: none is recorded." })),
		}),
	},
	examples: {
		params: PARAMS_EXAMPLE,
		request: { location: "A-12-3" },
		replies: { 200: { fg_id: LOT_EXAMPLE.fg_id, location: "A-12-3" } },
		errors: ERRORS,
	},
});
