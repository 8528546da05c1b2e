import Type from "typebox";
import { Instant, OrNull, ReplyObject } from "../../partners/http/text.ts";
import { CHECKS, VERDICTS } from "./facts.ts";

/** The fields of a check that both operators and partners see. */
export const CHECK_FIELDS = {
	check: Type.Enum([...CHECKS], { description: "Its name." }),
	title: Type.String({ description: "What it is about." }),
	passed_when: Type.String({ description: "When it is passed." }),
	optional: Type.Boolean({ description: "Whether a run can finish without it." }),
	verdict: Type.Enum([...VERDICTS], {
		description:
			"`waiting`: nothing was seen yet, or not enough. `review`: only a person can say. `failed` goes back to `waiting` when the fault is fixed.",
	}),
	since: OrNull(Instant("When what decided the verdict happened; null: nothing was seen.")),
	says: Type.String({ description: "What was seen, with its numbers." }),
	cure: OrNull(Type.String({ description: "What to do; null: nothing." })),
	evidence: Type.Array(Type.String(), {
		description: "The ids of the requests, looks and deliveries that it rests on, at most 20.",
	}),
};

export const CHECK_EXAMPLE = {
	check: "rate" as const,
	title: "Rate of requests",
	passed_when:
		"There are never more than 60 requests in 60 s, and nothing is sent after a 429 until its Retry-After has passed.",
	optional: false,
	verdict: "passed" as const,
	since: "2026-12-01T08:10:00.000Z",
	says: "The key sent 21 requests in 10 min, at most 4 in 60 s.",
	cure: null,
	evidence: ["req_68bc2ac05ca7ce31dbcadef0"],
};

/** What a partner showed, beside the count of that instant. */
export const LastLook = Type.Object(
	{
		at: Instant("When it was looked at."),
		source: Type.Enum(["address", "posted"], {
			description: "`address`: read from the status address; `posted`: sent by the partner.",
		}),
		problem: OrNull(Type.String({ description: "Why it could not be read; null: it was." })),
		items: Type.Array(
			ReplyObject("GoLiveLookItem", {
				sku: Type.String({ description: "The SKU." }),
				shown_qty: OrNull(Type.Integer({ description: "The number shown; null: none." })),
				hidden: Type.Boolean({ description: "Whether it is hidden." }),
				coa_url: OrNull(Type.String({ description: "The document linked; null: none." })),
				atp_qty: OrNull(Type.Integer({ description: "Its count at that instant; null: it has none." })),
				documents: Type.Array(Type.String(), { description: "The documents that it may link." }),
			}),
		),
	},
	{ title: "GoLiveLook", description: "The last look at what the partner shows." },
);

export const LOOK_EXAMPLE = {
	at: "2026-12-01T08:05:00.000Z",
	source: "address" as const,
	problem: null,
	items: [
		{
			sku: "SBX-LOW",
			shown_qty: 3,
			hidden: false,
			coa_url: null,
			atp_qty: 3,
			documents: [],
		},
	],
};
