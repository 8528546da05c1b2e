import Type, { type TProperties } from "typebox";
import {
	DRY_RUN,
	DRY_RUN_REPLY,
	FRESH_SIGN_IN_EXAMPLE,
	REASON_MAX,
	WRITE_ERRORS,
} from "../../partners/admin/headers.ts";
import { adminEdit } from "../../partners/admin/operation.ts";
import { Id, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { LOT_EXAMPLE, NamedLot, NO_LOT } from "../stock/admin-contract.ts";
import { MAX_UNITS } from "../stock/limits.ts";

export const Reason = Type.Optional(
	Text({ min: 1, max: REASON_MAX, description: "The reason; it is kept in the ledger." }),
);

const Units = (description: string) => Type.Integer({ description });
const moveRequest = <More extends TProperties>(title: string, more: More) =>
	RequestObject(title, {
		units: Type.Optional(
			Type.Integer({ minimum: 1, maximum: MAX_UNITS, description: "Units; either this or `all` is needed." }),
		),
		all: Type.Optional(Type.Literal(true, { description: "All units, however many there are." })),
		reason: Reason,
		...more,
		...DRY_RUN,
	});

const MOVED = {
	fg_id: Id("The lot."),
	moved: Units("Units moved."),
	replaced: Units("Of those: held before, and picked again from other lots."),
	lost: Units("Of those: held before and not replaced, so that holds and orders lack them now."),
	...DRY_RUN_REPLY,
};
const Taken = ReplyObject("TakenOutUnits", MOVED);
const RestoredUnits = ReplyObject("RestoredUnits", {
	...MOVED,
	replaced: Units("Always 0."),
	lost: Units("Always 0."),
	given_back: Units("Of those: given back to holds and orders that had lost units of this lot."),
	recall_ended: Type.Boolean({ description: "The lot was recalled, and is not any more." }),
	left: Units("Units of the request that are still in quarantine; 0 when it is done."),
});

const MOVED_EXAMPLE = { fg_id: LOT_EXAMPLE.fg_id, moved: 117, replaced: 5, lost: 2 };
const EXAMPLES = { params: { fg_id: LOT_EXAMPLE.fg_id }, request: { all: true, reason: "lab report 77" } } as const;
const ERRORS = {
	not_found: NO_LOT,
	...WRITE_ERRORS,
};
const TOO_MANY = `The lot of batch ${LOT_EXAMPLE.batch_number} has 3 units that could be taken out, not 4.`;
const LONG =
	"If many holds have units, this takes long: then the reply is 202, and the run continues. Its first step is done before the reply.";

export const QuarantineLot = adminEdit({
	id: "quarantine_lot",
	method: "POST",
	path: "/admin/api/v1/lots/:fg_id/quarantine",
	summary: "Take units of a lot out of sale for now",
	description: `Free units first, then held ones of the youngest holds, which are picked again from other lots. ${LONG}`,
	params: NamedLot,
	body: moveRequest("QuarantineLotRequest", {}),
	replies: { 200: Taken, 202: StartedRun },
	examples: {
		...EXAMPLES,
		replies: { 200: MOVED_EXAMPLE, 202: STARTED_RUN_EXAMPLE },
		errors: { ...ERRORS, not_possible_now: TOO_MANY },
	},
});

export const DestroyLot = adminEdit({
	id: "destroy_lot",
	method: "POST",
	path: "/admin/api/v1/lots/:fg_id/destroy",
	summary: "Remove units of a lot for good",
	description: `Takes quarantined units first, then free units, then held ones, whose holds are picked again from other lots. ${LONG}`,
	params: NamedLot,
	body: moveRequest("DestroyLotRequest", {}),
	replies: { 200: Taken, 202: StartedRun },
	examples: {
		...EXAMPLES,
		replies: { 200: MOVED_EXAMPLE, 202: STARTED_RUN_EXAMPLE },
		errors: { fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE, ...ERRORS, not_possible_now: TOO_MANY },
	},
});

export const RestoreLot = adminEdit({
	id: "restore_lot",
	method: "POST",
	path: "/admin/api/v1/lots/:fg_id/restore",
	summary: "Return quarantined units of a lot",
	description: `First to the orders and holds that lost units of the lot and still lack them, then to sale. A recalled lot is restored as a whole, which ends its recall and must be confirmed by \`ends_recall\`. ${LONG}`,
	params: NamedLot,
	body: moveRequest("RestoreLotRequest", {
		ends_recall: Type.Optional(
			Type.Literal(true, {
				description: "Confirms that this ends the recall of the lot; needed if the lot is recalled.",
			}),
		),
	}),
	replies: { 200: RestoredUnits, 202: StartedRun },
	examples: {
		...EXAMPLES,
		request: { all: true, reason: "false alarm" },
		replies: {
			200: { ...MOVED_EXAMPLE, replaced: 0, lost: 0, given_back: 2, recall_ended: false, left: 0 },
			202: STARTED_RUN_EXAMPLE,
		},
		errors: {
			...ERRORS,
			not_possible_now: `The lot of batch ${LOT_EXAMPLE.batch_number} has 3 units in quarantine, not 4.`,
		},
	},
});
