import Type from "typebox";
import { SCOPES } from "../../glossary.ts";
import { adminOperation } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Id, Instant, OrNull, ReplyObject, Text } from "../../partners/http/text.ts";
import { KEY_EXAMPLE } from "../../partners/keys/key-admin-contract.ts";
import { CHECKS } from "./facts.ts";
import { RUN_STATES } from "./run.ts";
import { CHECK_EXAMPLE, CHECK_FIELDS, LastLook, LOOK_EXAMPLE } from "./verdict-contract.ts";

export const NO_GOLIVE = "There is no go-live with this id or number.";

/** The fields of a run in lists, and in the replies of writes. */
const GOLIVE_FIELDS = {
	golive_id: Id("The id of the run."),
	number: Type.Integer({ minimum: 1, description: "Its number, under which its report is filed." }),
	state: Type.Enum([...RUN_STATES], { description: "`finished`: a production key was issued." }),
	key: Type.String({ description: "The public half of the sandbox key." }),
	key_name: Type.String({ description: "The name of that key." }),
	partner: Type.String({ description: "Its partner." }),
	status_url: OrNull(Type.String({ description: "Where the run looks at what the partner shows; null: nowhere." })),
	skus: Type.Array(Type.String(), { description: "The SKUs that the partner has shown, all of which are compared." }),
	started_at: Instant("When it started."),
	started_by: Type.String({ description: "Who started it." }),
	ended_at: OrNull(Instant("When it was stopped or finished; null: it is running.")),
	ended_by: OrNull(Type.String({ description: "Who stopped or finished it." })),
	end_reason: OrNull(Type.String({ description: "Why it was stopped, if that was said." })),
	drill_until: OrNull(Instant("When the drill that is under way ends; null: there is none.")),
	unkind_until: OrNull(Instant("When the unkind hour that is under way ends; null: there is none.")),
	next_look_at: OrNull(Instant("When the run looks at the status address next; null: it does not.")),
	messages_pending: Type.Boolean({ description: "Whether messages to the partner's endpoint are still to be sent." }),
	retirement_pending: Type.Boolean({ description: "Whether a certificate is going to be retired for the run." }),
	report_digest: OrNull(Type.String({ description: "The digest of the report of a finished run." })),
	production_key: OrNull(Type.String({ description: "The public half of the production key of a finished run." })),
};
export const GoLiveRunReply = ReplyObject("GoLiveRun", GOLIVE_FIELDS);
const GOLIVE_ID = "0199f0a0-0000-7000-8000-0000000000d1";
export const GOLIVE_EXAMPLE = {
	golive_id: GOLIVE_ID,
	number: 7,
	state: "running" as const,
	key: "pk_hf_sandbox_5ZrT0mGq8yXvB2kLw9QaE1nHc",
	key_name: "shop",
	partner: "North Web Shop",
	status_url: "https://shop.example.com/status.json",
	skus: ["SBX-LOW"],
	started_at: "2026-12-01T08:00:00.000Z",
	started_by: "operator:ada",
	ended_at: null,
	ended_by: null,
	end_reason: null,
	drill_until: null,
	unkind_until: null,
	next_look_at: "2026-12-01T08:10:00.000Z",
	messages_pending: false,
	retirement_pending: false,
	report_digest: null,
	production_key: null,
};

const By = Type.String({ description: "Who, as in the audit log." });
const Check = ReplyObject("JudgedGoLiveCheck", {
	...CHECK_FIELDS,
	review: OrNull(
		Type.Object(
			{
				at: Instant("When it was given."),
				by: By,
				passed: Type.Boolean({ description: "The verdict." }),
				words: Type.String({ description: "Why." }),
			},
			{ description: "The verdict of a person; null: none counts.", title: "JudgedGoLiveReview" },
		),
	),
	waiver: OrNull(
		Type.Object(
			{ at: Instant("When it was waived."), by: By, reason: Type.String({ description: "Why." }) },
			{ description: "The run may finish without it; null: it may not.", title: "JudgedGoLiveWaiver" },
		),
	),
});

const RESULT_FIELDS = {
	passed: Type.Boolean({ description: "Whether the run may finish: each required check is passed or waived." }),
	line: Type.String({ description: "The verdicts in a line." }),
	missing: Type.Array(Type.Enum([...CHECKS]), {
		description: "The required checks that are neither passed nor waived.",
	}),
	checks: Type.Array(Check, { description: "The checks that concern the key." }),
};
const RESULT_EXAMPLE = {
	passed: false,
	line: "passed 1 of 11, 10 waiting",
	missing: ["mirror_fresh" as const],
	checks: [{ ...CHECK_EXAMPLE, review: null, waiver: null }],
};

export const GoLiveParams = Type.Object({
	id: Text({ min: 1, max: 40, description: "The id of the run, or its number." }),
});
export const PARAMS_EXAMPLE = { id: GOLIVE_ID };

export const ListGoLives = adminOperation({
	id: "list_golives",
	method: "GET",
	path: "/admin/api/v1/golives",
	summary: "List go-live runs",
	description: "Newest first, without their verdicts.",
	query: pageQuery({
		state: Type.Optional(Type.Enum([...RUN_STATES], { type: "string", description: "Only in this state." })),
		key: Type.Optional(
			Text({ min: 1, max: 700, description: "Only of this key: public half, name, or `partner/name`." }),
		),
		partner: Type.Optional(Text({ min: 1, max: 500, description: "Only of the partner of this name." })),
	}),
	replies: { 200: pageOf(GoLiveRunReply, "GoLiveRuns") },
	examples: {
		replies: { 200: { items: [GOLIVE_EXAMPLE], next_cursor: null } },
		errors: { not_found: 'No key has the name or public half "shop".' },
	},
});

export const GetGoLive = adminOperation({
	id: "get_golive",
	method: "GET",
	path: "/admin/api/v1/golives/:id",
	summary: "Read a go-live run and its verdicts",
	description:
		"Verdicts are computed again at each read, from requests that were answered up to about a second ago; those of a finished run are those of its report.",
	params: GoLiveParams,
	conditional: true,
	replies: {
		200: ReplyObject("ShownGoLive", { ...GOLIVE_FIELDS, ...RESULT_FIELDS, last_look: OrNull(LastLook) }),
	},
	examples: {
		params: PARAMS_EXAMPLE,
		replies: { 200: { ...GOLIVE_EXAMPLE, ...RESULT_EXAMPLE, last_look: LOOK_EXAMPLE } },
		errors: { not_found: NO_GOLIVE },
	},
});

/** A report, without its digest. */
const REPORT_FIELDS = {
	number: GOLIVE_FIELDS.number,
	golive_id: GOLIVE_FIELDS.golive_id,
	final: Type.Boolean({ description: "Whether the run is finished: then the report never changes." }),
	checks_version: Type.String({ description: "The version of the set of checks." }),
	partner: GOLIVE_FIELDS.partner,
	sandbox_key: GOLIVE_FIELDS.key,
	key_name: GOLIVE_FIELDS.key_name,
	scopes: Type.Array(Type.Enum([...SCOPES]), { description: "Permissions of the sandbox key." }),
	status_url: GOLIVE_FIELDS.status_url,
	skus: GOLIVE_FIELDS.skus,
	started_at: GOLIVE_FIELDS.started_at,
	started_by: GOLIVE_FIELDS.started_by,
	as_of: Instant("The time up to which the run was judged: its end, if it has ended."),
	finished_by: OrNull(Type.String({ description: "Who finished it; null: it is not finished." })),
	production_key: GOLIVE_FIELDS.production_key,
	brand_code: OrNull(Type.String({ description: "The brand that the production key is bound to." })),
	...RESULT_FIELDS,
	numbers: Type.Object(
		{
			requests: Type.Integer({ description: "Requests of the key that were judged." }),
			looks: Type.Integer({ description: "Looks at what the partner shows." }),
			messages: Type.Integer({ description: "Messages that the run sent to the partner's endpoint." }),
			deliveries: Type.Integer({ description: "Attempts to deliver events to it." }),
			drills: Type.Integer({ description: "Drills." }),
		},
		{ description: "How much there was to judge." },
	),
	drills: Type.Array(
		ReplyObject("GoLiveDrill", {
			from: Instant("When it started."),
			to: OrNull(Instant("When it ended; null: it is under way.")),
		}),
		{ description: "The drills, in order." },
	),
	retirement: OrNull(
		Type.Object(
			{
				at: Instant("When it was retired."),
				slug: Type.String({ description: "The product." }),
				batch_number: Type.String({ description: "The batch." }),
				skus: Type.Array(Type.String(), { description: "The SKUs of the product." }),
				document: Type.String({ description: "The address of its PDF." }),
			},
			{ title: "GoLiveRetirement", description: "The certificate that was retired last for the run." },
		),
	),
	left_out: Type.Array(Type.String(), { description: "What was not judged, because there was too much of it." }),
};
export const GoLiveReport = Type.Object(
	{
		...REPORT_FIELDS,
		digest: Type.String({
			description:
				"SHA-256 of the report's JSON without this member, without white space, and with the members of each object in the order of their names.",
		}),
	},
	{ title: "GoLiveReport", description: "The report, as it is kept." },
);
export const REPORT_EXAMPLE = {
	number: 7,
	golive_id: GOLIVE_ID,
	final: true,
	checks_version: "2026-11-26.1",
	partner: GOLIVE_EXAMPLE.partner,
	sandbox_key: GOLIVE_EXAMPLE.key,
	key_name: GOLIVE_EXAMPLE.key_name,
	scopes: ["atp.check", "atp.inventory"] as const,
	status_url: GOLIVE_EXAMPLE.status_url,
	skus: ["SBX-LOW"],
	started_at: GOLIVE_EXAMPLE.started_at,
	started_by: GOLIVE_EXAMPLE.started_by,
	as_of: "2026-12-03T15:00:00.000Z",
	finished_by: "operator:grace",
	production_key: KEY_EXAMPLE.pk,
	brand_code: "ACME",
	passed: true,
	line: "passed 7 of 7",
	missing: [],
	checks: RESULT_EXAMPLE.checks,
	numbers: { requests: 812, looks: 96, messages: 5, deliveries: 2, drills: 1 },
	drills: [{ from: "2026-12-02T09:00:00.000Z", to: "2026-12-02T09:10:00.000Z" }],
	retirement: null,
	left_out: [],
	digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

export const HTML_TYPE = "text/html; charset=utf-8";
export const PDF_TYPE = "application/pdf";

export const GetGoLiveReport = adminOperation({
	id: "get_golive_report",
	method: "GET",
	path: "/admin/api/v1/golives/:id/report",
	summary: "Read the report of a go-live run",
	description:
		"Every check with its evidence and numbers. The report of a finished run never changes, and its digest proves it; the report of a run that is not finished is preliminary. With `Accept: text/html` it is a page, with `application/pdf` a PDF, otherwise JSON.",
	headers: {
		Accept: {
			schema: Text({
				min: 1,
				max: 1_000,
				description: "`text/html` or `application/pdf`; anything else is answered with JSON.",
			}),
			missing: null,
		},
	},
	params: GoLiveParams,
	replies: { 200: GoLiveReport },
	contents: {
		200: { [HTML_TYPE]: { example: "<!doctype html><title>Go-live 7</title>" }, [PDF_TYPE]: {} },
	},
	replyHeaders: {
		"Content-Disposition": "For a PDF: includes a file name.",
		"Content-Security-Policy": "For a page: it may load nothing and run nothing.",
	},
	examples: {
		params: PARAMS_EXAMPLE,
		replies: { 200: REPORT_EXAMPLE },
		errors: { not_found: NO_GOLIVE },
	},
});
