import { describe, expect, it } from "vitest";
import { type CheckCase, judged, NOTHING, RETIREMENT, TOMBSTONE } from "../../../test/golive/example-facts.ts";
import { feed, minute } from "../../../test/golive/example-requests.ts";
import { coaFeedCheck } from "./coa-feed-check.ts";
import type { FactRequest, GoLiveFacts } from "./facts.ts";
import { inOrder } from "./windows.ts";

/** Reads of the feed in a run whose certificate is retired in minute 30. */
const fed = (...requests: readonly FactRequest[]): Partial<GoLiveFacts> => ({ retirement: RETIREMENT, requests });
const CUT_OFF = { ...feed("f", minute(33), "status=all&cursor=c1", [], "c2"), reply: null };

const COA_FEED: readonly CheckCase[] = [
	["nothing was retired", { requests: [feed("f", minute(33), "status=all", [TOMBSTONE], "c1")] }, "waiting", []],
	["the feed was not read since", fed(feed("f", minute(29), "status=all", [], "c1")), "waiting", []],
	[
		"the tombstone is fetched by cursor",
		fed(feed("f", minute(33), "status=all&cursor=c1", [TOMBSTONE], "c2")),
		"passed",
		["f"],
	],
	[
		"or by updated_since, also late",
		fed(feed("f", minute(99), "status=retired&updated_since=2026-12-01", [TOMBSTONE], "c2")),
		"passed",
		["f"],
	],
	[
		"its page is not the last",
		fed(feed("f", minute(33), "status=all&cursor=c1", [TOMBSTONE], "c2", true)),
		"waiting",
		["f"],
	],
	[
		"the end is read after it",
		fed(
			feed("f", minute(33), "status=all&cursor=c1", [TOMBSTONE], "c2", true),
			feed("g", minute(34), "status=all&cursor=c2", [], "c3"),
			feed("h", minute(38), "status=all&cursor=c3", [], "c3"),
		),
		"passed",
		["f", "g"],
	],
	[
		"a page from another place is not the end",
		fed(
			feed("f", minute(33), "status=all&cursor=c1", [TOMBSTONE], "c2", true),
			feed("g", minute(34), "status=all&cursor=c9", [], "c3"),
		),
		"waiting",
		["f"],
	],
	[
		"the whole feed at once is not followed",
		fed(feed("f", minute(33), "status=all", [TOMBSTONE], "c2")),
		"waiting",
		["f"],
	],
	[
		"until it goes on from there",
		fed(
			feed("f", minute(33), "status=all", [TOMBSTONE], "c2"),
			feed("g", minute(34), "status=all&cursor=c2", [], "c2"),
		),
		"passed",
		["f", "g"],
	],
	["current certificates have no tombstones", fed(feed("f", minute(33), "cursor=c1", [], "c2")), "failed", ["f"]],
	[
		"there are ten minutes for it",
		{ ...fed(feed("f", minute(33), "cursor=c1", [], "c2")), now: minute(40) },
		"waiting",
		[],
	],
	[
		"and not a millisecond more",
		{ ...fed(feed("f", minute(33), "cursor=c1", [], "c2")), now: minute(40, 1) },
		"failed",
		["f"],
	],
	[
		"the tombstone of another batch is not it",
		fed(feed("f", minute(33), "status=all&cursor=c1", [{ ...TOMBSTONE, batch_number: "B" }], "c2")),
		"failed",
		["f"],
	],
	[
		"it is mended by fetching it",
		fed(feed("f", minute(33), "cursor=c1", [], "c2"), feed("g", minute(50), "status=all&cursor=c1", [TOMBSTONE], "c3")),
		"passed",
		["g"],
	],
	["a reply that was not kept is for a person", fed(CUT_OFF), "review", ["f"]],
	["a refused read is none", fed({ ...CUT_OFF, status: 401 }), "waiting", []],
];

describe("coa_feed", () => {
	it.each(COA_FEED)("%s", (_name, some, verdict, evidence) => {
		expect(judged(coaFeedCheck, some)).toEqual([verdict, evidence]);
	});

	it("says that the status leaves tombstones out, and what to ask for", () => {
		const { says, cure } = coaFeedCheck.judge(
			inOrder({ ...NOTHING, ...fed(feed("f", minute(33), "cursor=c1", [], "c2")) }),
		);
		expect(says).toContain("The feed was read 1 time since with a status that leaves tombstones out");
		expect(cure).toContain("status=all");
	});
});
