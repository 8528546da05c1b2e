import Type from "typebox";
import { refuse } from "../../ground/lib/refusal.ts";
import { operation } from "../../partners/http/operation.ts";
import { Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { NOT_FOR_LIVE_KEYS } from "../traffic/contract.ts";
import { CHECKS } from "./facts.ts";
import { MAX_ADDRESS, MAX_SHOWN, MAX_SKU, MOST_ITEMS, POSTED_EVERY_SECONDS } from "./limits.ts";
import { RUN_STATES } from "./run.ts";
import { CHECK_EXAMPLE, CHECK_FIELDS, LastLook, LOOK_EXAMPLE } from "./verdict-contract.ts";

/** What a partner can start without the operator. */
const PARTNER_STEPS = ["drill", "messages", "unkind"] as const;

export const NO_RUN = refuse("not_found", "This key has no go-live run: ask the operator to start one.");
export const NONE_RUNNING = refuse(
	"not_found",
	"No go-live run of this key is running at this moment: ask the operator to start one.",
);
const DRILL_UNDER_WAY = "A drill is in progress: it ends automatically ten minutes after its start.";
/** What is under way, by the name of what was started. */
export const UNDER_WAY = {
	drill: DRILL_UNDER_WAY,
	messages: "The messages of the run are being sent: read the run again in a minute before you ask for more.",
	unkind: "An unkind hour is in progress: it ends automatically an hour after its start.",
} as const;

const RUN_FIELDS = {
	number: Type.Integer({ minimum: 1, description: "Its number, under which its report is filed." }),
	state: Type.Enum([...RUN_STATES], { description: "`finished`: it passed, and a production key was issued." }),
	status_url: OrNull(Type.String({ description: "Where the run looks at what you show; null: nowhere." })),
	skus: Type.Array(Type.String(), { description: "The SKUs that you have shown, all of which are compared." }),
	started_at: Instant("When it started."),
	ended_at: OrNull(Instant("When it was stopped or finished; null: it is running.")),
	drill_until: OrNull(Instant("When the drill that is under way ends; null: there is none.")),
	unkind_until: OrNull(Instant("When the unkind hour that is under way ends; null: there is none.")),
	next_look_at: OrNull(Instant("When the run looks at the status address next; null: it does not.")),
	messages_pending: Type.Boolean({ description: "Whether messages to your endpoint are still to be sent." }),
	retirement_pending: Type.Boolean({ description: "Whether a certificate is going to be retired for the run." }),
};
const RUN_EXAMPLE = {
	number: 7,
	state: "running" as const,
	status_url: "https://shop.example.com/status.json",
	skus: ["SBX-LOW"],
	started_at: "2026-12-01T08:00:00.000Z",
	ended_at: null,
	drill_until: null,
	unkind_until: null,
	next_look_at: "2026-12-01T08:10:00.000Z",
	messages_pending: false,
	retirement_pending: false,
};

const PartnerCheck = ReplyObject("GoLiveCheck", {
	...CHECK_FIELDS,
	review: OrNull(
		Type.Object(
			{
				at: Instant("When it was given."),
				passed: Type.Boolean({ description: "The verdict." }),
				words: Type.String({ description: "Why." }),
			},
			{ description: "The verdict of a person; null: none.", title: "GoLiveReview" },
		),
	),
	waiver: OrNull(
		Type.Object(
			{ at: Instant("When it was waived."), reason: Type.String({ description: "Why." }) },
			{ description: "The run may finish without it; null: it may not.", title: "GoLiveWaiver" },
		),
	),
});

export const ReadGoLive = operation({
	id: "readGoLive",
	method: "GET",
	path: "/api/v1/sandbox/golive",
	scope: "atp.check",
	alwaysKind: true,
	summary: "Read the go-live run of your sandbox key",
	description:
		"For sandbox keys only; a live key is answered 403. Shows this key's own run, the running one or else the last: every check with its verdict, what it rests on, and what to do. Verdicts are computed again at each read, from requests that were answered up to about a second ago; those of a finished run are those of its report.",
	replies: {
		200: ReplyObject("GoLive", {
			...RUN_FIELDS,
			passed: Type.Boolean({ description: "Whether every required check is passed, or waived by the operator." }),
			line: Type.String({ description: "The verdicts in a line." }),
			missing: Type.Array(Type.Enum([...CHECKS]), {
				description: "The required checks that are neither passed nor waived.",
			}),
			checks: Type.Array(PartnerCheck, { description: "The checks that concern this key." }),
			last_look: OrNull(LastLook),
		}),
	},
	examples: {
		replies: {
			200: {
				...RUN_EXAMPLE,
				passed: false,
				line: "passed 1 of 11, 10 waiting",
				missing: ["mirror_fresh"],
				checks: [{ ...CHECK_EXAMPLE, review: null, waiver: null }],
				last_look: LOOK_EXAMPLE,
			},
		},
		errors: { forbidden: NOT_FOR_LIVE_KEYS.message, not_found: NO_RUN.message },
	},
});

export const StartDrill = operation({
	id: "startDrill",
	method: "POST",
	path: "/api/v1/sandbox/golive/drill",
	scope: "atp.check",
	summary: "Start a drill of your go-live run, its messages, or an unkind hour",
	description:
		"For sandbox keys only; a live key is answered 403. `drill`: from now on, this key is refused with 401 everywhere for ten minutes, as if it were revoked, except by POST /api/v1/sandbox/shown; nothing ends it earlier but the operator. `messages`: the run sends your endpoint in the sandbox a message with a bad signature, one that is six minutes old, one with two signatures and one with nothing wrong, and half a minute later that one again. `unkind`: for an hour, one request in twenty is answered 409 `retry` or 429 before anything is done, or with a field that no document names, and one event is sent twice and one late; this operation and the reads of the run are answered as always.",
	body: RequestObject("StartDrillRequest", {
		what: Type.Optional(Type.Enum([...PARTNER_STEPS], { type: "string", description: "What to start (`drill`)." })),
	}),
	replies: { 200: ReplyObject("StartedDrill", RUN_FIELDS) },
	statuses: { wrong_state: 409 },
	alwaysKind: true,
	examples: {
		request: { what: "drill" },
		replies: { 200: { ...RUN_EXAMPLE, drill_until: "2026-12-01T08:20:00.000Z" } },
		errors: { forbidden: NOT_FOR_LIVE_KEYS.message, not_found: NONE_RUNNING.message, wrong_state: DRILL_UNDER_WAY },
	},
});

export const PostShown = operation({
	id: "postShown",
	method: "POST",
	path: "/api/v1/sandbox/shown",
	scope: "atp.check",
	summary: "Tell the go-live run what your site shows",
	description: `For sandbox keys only; a live key is answered 403. The same document as at a status address, for a site that has none. It is compared with the counts and certificates of this instant. At most one in ${POSTED_EVERY_SECONDS} seconds is kept. It is answered during a drill, too: post then what your site shows then.`,
	inDrill: true,
	alwaysKind: true,
	body: RequestObject("PostShownRequest", {
		items: Type.Array(
			RequestObject("ShownItem", {
				sku: Text({ min: 1, max: MAX_SKU, description: "The SKU." }),
				shown_qty: Type.Optional(
					OrNull(Type.Integer({ minimum: 0, maximum: MAX_SHOWN, description: "The number shown; null: none." })),
				),
				hidden: Type.Optional(Type.Boolean({ description: "Whether it is hidden (false)." })),
				coa_url: Type.Optional(
					OrNull(Text({ max: MAX_ADDRESS, description: "The document linked; null or empty: none." })),
				),
			}),
			{ maxItems: MOST_ITEMS, description: "Every SKU that the site lists." },
		),
	}),
	replies: {
		200: ReplyObject("KeptShown", {
			kept: Type.Boolean({ description: "False: another one was kept a moment ago." }),
			at: OrNull(Instant("When it was compared; null: it was not kept.")),
		}),
	},
	examples: {
		request: { items: [{ sku: "SBX-LOW", shown_qty: 3, hidden: false, coa_url: null }] },
		replies: { 200: { kept: true, at: "2026-12-01T08:05:00.000Z" } },
		errors: { forbidden: NOT_FOR_LIVE_KEYS.message, not_found: NONE_RUNNING.message },
	},
});
