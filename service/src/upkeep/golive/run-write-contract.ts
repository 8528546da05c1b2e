import Type from "typebox";
import { FRESH_SIGN_IN_EXAMPLE, REASON } from "../../partners/admin/headers.ts";
import { adminEdit, adminWrite, WRITE_ERRORS } from "../../partners/admin/operation.ts";
import { Instant, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { KEY_EXAMPLE, KEY_RIGHTS, Key } from "../../partners/keys/key-admin-contract.ts";
import { MAX_KEY_NAME_LENGTH } from "../../partners/keys/limits.ts";
import {
	GOLIVE_EXAMPLE,
	GoLiveParams,
	GoLiveReport,
	GoLiveRunReply,
	NO_GOLIVE,
	PARAMS_EXAMPLE,
	REPORT_EXAMPLE,
} from "./admin-contract.ts";
import { CHECKS } from "./facts.ts";
import { MAX_ADDRESS, MAX_REASON, MAX_WORDS } from "./limits.ts";

/** What an operator can start in a run, and end. */
const OPERATOR_STEPS = ["drill", "messages", "retirement", "unkind"] as const;
const STOPPABLE = ["drill", "unkind", "run"] as const;

const ENDED = "Go-live 7 is stopped: start another one.";
const ERRORS = { not_found: NO_GOLIVE, not_possible_now: ENDED };
const Reason = Text({ min: 1, max: MAX_REASON, description: "The reason." });
const CheckNamed = Type.Enum([...CHECKS], { type: "string", description: "The check." });

export const StartGoLive = adminWrite({
	id: "start_golive",
	method: "POST",
	path: "/admin/api/v1/golives",
	summary: "Start the go-live run of a sandbox key",
	description:
		"From now on, the requests of the key are graded. A key has at most one running run. With a status address, the run reads every five minutes what the partner shows; without one, the partner posts it, or a person looks.",
	body: RequestObject("StartGoLiveRequest", {
		key: Text({ min: 1, max: 700, description: "The sandbox key: public half, name, or `partner/name`." }),
		status_url: Type.Optional(
			OrNull(
				Text({
					min: 1,
					max: MAX_ADDRESS,
					description: "Where the partner's site lists what it shows: https, or an address of this machine.",
				}),
			),
		),
	}),
	replies: { 201: GoLiveRunReply },
	examples: {
		request: { key: GOLIVE_EXAMPLE.key, status_url: GOLIVE_EXAMPLE.status_url },
		replies: { 201: GOLIVE_EXAMPLE },
		errors: {
			not_found: 'No key has the name or public half "shop".',
			not_possible_now: "Go-live 7 of this key is running: stop it first.",
		},
	},
});

export const DrillGoLive = adminEdit({
	id: "drill_golive",
	method: "POST",
	path: "/admin/api/v1/golives/:id/drill",
	summary: "Start a drill of a go-live run, its messages, a retirement, or an unkind hour",
	description:
		"`drill`: the sandbox key is refused with 401 everywhere for ten minutes. `messages`: badly and well signed messages are sent to the partner's endpoint in the sandbox. `retirement`: a certificate of a sandbox product is published, and retired six minutes later. `unkind`: for an hour, the sandbox answers one request in twenty of the key with `retry`, with 429, or with an unknown field, and sends one event twice and one late. What is already under way is returned as it is.",
	params: GoLiveParams,
	body: RequestObject("DrillGoLiveRequest", {
		what: Type.Optional(Type.Enum([...OPERATOR_STEPS], { type: "string", description: "What to start (`drill`)." })),
		reason: Type.Optional(Reason),
	}),
	replies: { 200: GoLiveRunReply },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { what: "drill" },
		replies: { 200: { ...GOLIVE_EXAMPLE, drill_until: "2026-12-01T08:20:00.000Z" } },
		errors: ERRORS,
	},
});

export const StopGoLive = adminEdit({
	id: "stop_golive",
	method: "POST",
	path: "/admin/api/v1/golives/:id/stop",
	summary: "End a drill or an unkind hour early, or a whole go-live run",
	description:
		"A drill or an unkind hour that ends early counts only if something was wrong in it. A stopped run cannot continue: start another one. Stopping a run ends both, too.",
	params: GoLiveParams,
	body: RequestObject("StopGoLiveRequest", {
		what: Type.Enum([...STOPPABLE], { type: "string", description: "What to end." }),
		reason: Type.Optional(Reason),
	}),
	replies: { 200: GoLiveRunReply },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { what: "run", reason: "The shop starts over." },
		replies: {
			200: {
				...GOLIVE_EXAMPLE,
				state: "stopped",
				ended_at: "2026-12-01T09:00:00.000Z",
				ended_by: "operator:ada",
				end_reason: "The shop starts over.",
				next_look_at: null,
			},
		},
		errors: ERRORS,
	},
});

export const ReviewGoLive = adminEdit({
	id: "review_golive",
	method: "POST",
	path: "/admin/api/v1/golives/:id/review",
	summary: "Give a person's verdict on a check",
	description:
		"For a check whose verdict is `review`: the run cannot see it, and a person has looked. The verdict counts until something newer is to be reviewed. The report includes it with the person's name and words.",
	params: GoLiveParams,
	body: RequestObject("ReviewGoLiveRequest", {
		check: CheckNamed,
		passed: Type.Boolean({ description: "The verdict." }),
		words: Text({ min: 1, max: MAX_WORDS, description: "What was seen, and where." }),
	}),
	replies: { 200: GoLiveRunReply },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { check: "mirror_equal", passed: true, words: "Ten product pages show the counts of the API." },
		replies: { 200: GOLIVE_EXAMPLE },
		errors: {
			...ERRORS,
			not_possible_now: "The check rate is waiting: a person decides only what has the verdict review.",
		},
	},
});

export const WaiveGoLive = adminEdit({
	id: "waive_golive",
	method: "POST",
	path: "/admin/api/v1/golives/:id/waive",
	summary: "Let a go-live run finish without a check",
	description:
		"The check keeps its verdict, and the report shows who waived it and why. Once it is passed, the waiver counts for nothing.",
	params: GoLiveParams,
	body: RequestObject("WaiveGoLiveRequest", { check: CheckNamed, reason: Reason }),
	replies: { 200: GoLiveRunReply },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { check: "coa_feed", reason: "The shop sells nothing that has a certificate." },
		replies: { 200: GOLIVE_EXAMPLE },
		errors: {
			...ERRORS,
			not_possible_now: "The check orders does not concern this key, so there is nothing to waive.",
		},
	},
});

export const FinishGoLive = adminEdit({
	id: "finish_golive",
	method: "POST",
	path: "/admin/api/v1/golives/:id/finish",
	summary: "Finish a go-live run and issue the production key",
	description:
		"Refused while a required check is neither passed nor waived. Mints a live key of the same partner, bound to its brand; the reply has the whole token, only this once. The partner's sandbox keys are revoked 30 days later. The report is filed, and never changes.",
	params: GoLiveParams,
	body: RequestObject("FinishGoLiveRequest", {
		name: Text({ min: 1, max: MAX_KEY_NAME_LENGTH, description: "The name of the key, unique within the partner." }),
		brand_code: Text({ min: 1, max: 64, description: "The brand that it is bound to." }),
		preset: Type.Optional(
			Type.Enum(["read_only", "fulfilment", "self_ship"], {
				type: "string",
				description: "Its scopes by name; or give `scopes`.",
			}),
		),
		...KEY_RIGHTS,
		...REASON,
	}),
	replies: {
		201: ReplyObject("FinishedGoLive", {
			token: Type.String({ description: "`pk_hf_live_…:sk_hf_live_…`, shown only this once." }),
			key: Type.Object(Key.properties, { description: "The production key." }),
			sandbox_key_revoked_at: OrNull(Instant("When the sandbox key of the run ends.")),
			report: Type.Object(GoLiveReport.properties, { description: "The report, as it is kept." }),
		}),
	},
	examples: {
		params: PARAMS_EXAMPLE,
		request: { name: "web", brand_code: "ACME", preset: "fulfilment" },
		replies: {
			201: {
				token: `${KEY_EXAMPLE.pk}:sk_hf_live_…`,
				key: { ...KEY_EXAMPLE, golive_report: 7 },
				sandbox_key_revoked_at: "2027-01-02T15:00:00.000Z",
				report: REPORT_EXAMPLE,
			},
		},
		errors: {
			...ERRORS,
			...WRITE_ERRORS,
			golive_not_passed:
				"Go-live 7 cannot finish: passed 6 of 7, 1 failed. Missing: drill. Let the partner fix it, or waive it with a reason.",
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
		},
	},
});
