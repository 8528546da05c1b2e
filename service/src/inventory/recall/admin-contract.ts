import Type from "typebox";
import { DRY_RUN, FRESH_SIGN_IN_EXAMPLE, WRITE_ERRORS } from "../../partners/admin/headers.ts";
import { adminOperation, adminWrite } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { CODE_MAX } from "../stock/admin-contract.ts";
import { Reason } from "./lot-admin-contract.ts";
import { LISTS_EXAMPLE, RECALL_LISTS } from "./recall-lists-contract.ts";

export const CSV_TYPE = "text/csv; charset=utf-8";

const STATUSES = ["running", "done", "failed", "stopped"] as const;
const Status = (description: string) => Type.Enum(STATUSES, { description });
const Units = (description: string) => Type.Integer({ description });
const Name = (description: string) => Text({ min: 1, max: CODE_MAX, description });

const SUMMARY = {
	batch_number: OrNull(Type.String({ description: "The batch that was recalled; null: it was one lot." })),
	formula: OrNull(Type.String({ description: "Only lots of this formula; null: of every formula." })),
	slug: OrNull(Type.String({ description: "Only lots that this product's certificate covers; null: all." })),
	fg_id: OrNull(Id("The lot that was recalled; null: it was a batch number.")),
	reason: OrNull(Type.String({ description: "Why; null: no reason was given." })),
	moved: Units("Units put into quarantine."),
	replaced: Units("Of those: held or allocated before, and picked again from other lots."),
	lost: Units("Of those: held or allocated before and not replaced, so that holds and orders lack them."),
	left: Units("Units that holds and orders still have; 0 when it is done. Nobody else gets them."),
};
const Summary = ReplyObject("RecallSummary", {
	recall_id: Id("The recall. It is the id of its run."),
	status: Status("`done` when no hold and no order has a unit of the recalled lots any more."),
	actor: Type.String({ description: "Who recalled, as in the audit log." }),
	started_at: Instant("From this moment on, no unit of the recalled lots is promised."),
	ended_at: OrNull(Instant("When it ended; null: it is running.")),
	...SUMMARY,
});
const Recall = ReplyObject("RecallReport", {
	recall_id: OrNull(Id("The recall; null: a dry run.")),
	dry_run: Type.Boolean({ description: "Nothing was done: the lists show what the recall would do." }),
	status: OrNull(Status("`done` when no hold and no order has a unit of the recalled lots any more; null: a dry run.")),
	started_at: OrNull(Instant("From this moment on, no unit of the recalled lots is promised; null: a dry run.")),
	ended_at: OrNull(Instant("When it ended; null: it is running, or a dry run.")),
	...SUMMARY,
	...RECALL_LISTS,
});

const ID = "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d";
const SUMMARY_EXAMPLE = {
	batch_number: "C-2611",
	formula: null,
	slug: null,
	fg_id: null,
	reason: "lab report 77",
	moved: 117,
	replaced: 5,
	lost: 2,
	left: 0,
};
const TIMES_EXAMPLE = {
	status: "done",
	started_at: "2026-09-06T12:00:00.000Z",
	ended_at: "2026-09-06T12:00:01.000Z",
} as const;
const EXAMPLE = { recall_id: ID, dry_run: false, ...TIMES_EXAMPLE, ...SUMMARY_EXAMPLE, ...LISTS_EXAMPLE };
const PARAMS = Type.Object({ id: GivenId("The recall.") });
const NO_RECALL = `There is no recall ${ID}.`;

export const RecallLots = adminWrite({
	id: "recall_lots",
	method: "POST",
	path: "/admin/api/v1/recalls",
	summary: "Recall a batch or a lot",
	description:
		"Recalls a batch number in every pool, of one formula or of all, or one lot; never the sandbox's stock. Once the reply is sent, no unit of these lots is promised any more. The units that holds and orders have are taken from them step by step, and picked again from other lots if there are any. If many holds and orders have units, this takes long: then the reply is 202 and the run continues. A repeated request returns the same recall, unless there is more to recall.",
	body: RequestObject("RecallRequest", {
		batch_number: Type.Optional(Name("The batch number, as it is written; either this or `fg_id` is needed.")),
		formula: Type.Optional(Name("With `batch_number`: only lots of the formula of this code.")),
		slug: Type.Optional(
			Name("With `batch_number`: only lots that the certificate of the product of this slug covers."),
		),
		fg_id: Type.Optional(GivenId("One lot.")),
		reason: Reason,
		...DRY_RUN,
	}),
	replies: { 200: Recall, 202: StartedRun },
	examples: {
		request: { batch_number: "C-2611", reason: "lab report 77" },
		replies: { 200: EXAMPLE, 202: STARTED_RUN_EXAMPLE },
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_found: 'There is no lot with batch number "C-26": did you mean "C-2611"?',
			...WRITE_ERRORS,
		},
	},
});

export const ListRecalls = adminOperation({
	id: "list_recalls",
	method: "GET",
	path: "/admin/api/v1/recalls",
	summary: "List recalls",
	description: "Newest first. A recall that was ended by a restore stays in the list.",
	query: pageQuery({ status: Type.Optional(Status("Only recalls of this status.")) }),
	replies: { 200: pageOf(Summary, "Recalls") },
	examples: {
		replies: {
			200: {
				items: [{ recall_id: ID, actor: "operator:token/quality", ...TIMES_EXAMPLE, ...SUMMARY_EXAMPLE }],
				next_cursor: null,
			},
		},
	},
});

export const GetRecall = adminOperation({
	id: "get_recall",
	method: "GET",
	path: "/admin/api/v1/recalls/:id",
	summary: "Read a recall",
	description:
		"With its lots, everybody who received units of them, and the holds and orders that lack units because of it, all as of now.",
	params: PARAMS,
	conditional: true,
	replies: { 200: Recall },
	examples: { params: { id: ID }, replies: { 200: EXAMPLE }, errors: { not_found: NO_RECALL } },
});

export const GetRecallCsv = adminOperation({
	id: "get_recall_csv",
	method: "GET",
	path: "/admin/api/v1/recalls/:id.csv",
	summary: "Read the lists of a recall as CSV",
	description:
		"One row for each order, reference and hold of a recall's lists; the column `list` names the row's list. A cell that a spreadsheet would take for a formula has a `'` before it.",
	params: PARAMS,
	conditional: true,
	replies: {},
	contents: {
		200: {
			[CSV_TYPE]: {
				example:
					"list,partner,key,key_name,order_id,ref,external_order_id,external_ref,reservation_token,units,shipped_units,batch_numbers,at,carrier_code,tracking_number\r\nconsumed,Acme Shop,pk_hf_live_x,web,,,,sale-7,019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7f,2,0,C-2611,2026-09-06T12:00:00.000Z,,\r\n",
			},
		},
	},
	examples: { params: { id: ID }, replies: {}, errors: { not_found: NO_RECALL } },
});
