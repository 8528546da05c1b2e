import type { CheckName, FactRequest, GoLiveFacts, Look } from "../../src/upkeep/golive/facts.ts";
import { look, RETIRED_PDF, RETIREMENT, shownItem, TOMBSTONE } from "./example-facts.ts";
import { cancel, feed, minute, place, products, refused, request, reserve } from "./example-requests.ts";
import { goodRun } from "./good-run.ts";

/*
 * Runs of partners that do everything right but one thing, for the tests of checks.
 */

const run = goodRun();
const adding = (...requests: readonly FactRequest[]): GoLiveFacts => ({
	...run,
	requests: [...run.requests, ...requests],
});
/** The looks between two minutes show something else. */
const showing = (from: number, to: number, change: (one: Look) => Look): GoLiveFacts => ({
	...run,
	looks: run.looks.map((one) => (one.at >= minute(from) && one.at < minute(to) ? change(one) : one)),
});
const NO_MORE = { "SBX-LOW": 0, "SBX-OUT": 0 };
const lastUnitSold = ({ id, at }: Look): Look =>
	look(id, at, NO_MORE, [shownItem("SBX-LOW", 1), shownItem("SBX-OUT", 0)]);
const linksRetired = (one: Look): Look => ({
	...one,
	items: one.items.map((item) => (item.sku === "SBX-LOW" ? { ...item, coaUrl: RETIRED_PDF } : item)),
});
const renamed = (id: string, second: number, reference: string): FactRequest =>
	refused(id, minute(190, second * 1_000), "retry", reference);

/** What a partner does wrong, and the one check that fails for it. */
export const WRONG_PARTNERS: readonly (readonly [what: string, facts: GoLiveFacts, fails: CheckName])[] = [
	[
		"polls too fast",
		adding(...Array.from({ length: 61 }, (_none, index) => request(`w${index}`, minute(195, index * 500)))),
		"rate",
	],
	[
		"ignores Retry-After",
		adding(request("w1", minute(195), { status: 429, retryAfter: 30 }), request("w2", minute(195, 5_000))),
		"rate",
	],
	["shows 0 on 401", showing(100, 110, (one) => ({ ...one, items: [shownItem("SBX-LOW", 0)] })), "drill"],
	[
		"orders after no_inventory",
		adding(
			refused("w1", minute(190), "no_inventory", "cart-20"),
			place("w2", minute(190, 9_000), "cart-20", "h20", "o20"),
		),
		"holds",
	],
	[
		"forgets the tombstone",
		{
			...run,
			requests: run.requests.map((one) =>
				one.requestId === "feed-2" ? feed("feed-2", one.at, "cursor=c1", [], "c2") : one,
			),
		},
		"coa_feed",
	],
	[
		"accepts a bad signature",
		{ ...run, probes: run.probes.map((one) => (one.kind === "bad_signature" ? { ...one, status: 200 } : one)) },
		"webhooks",
	],
	[
		"acts twice on one id",
		adding(cancel("w1", minute(70, 2_000), "o3"), cancel("w2", minute(71, 2_000), "o3")),
		"webhooks",
	],
	[
		"has a mirror that is ten minutes old",
		{
			...showing(190, 200, lastUnitSold),
			requests: run.requests.map((one) => (one.at >= minute(190) ? products(one.requestId, one.at, NO_MORE) : one)),
		},
		"mirror_equal",
	],
	[
		"reads counts every ten minutes",
		{
			...run,
			requests: run.requests.filter(
				({ operation, at }) => operation !== "products" || at < minute(182) || at === minute(192),
			),
		},
		"mirror_fresh",
	],
	[
		"repeats no_inventory in a loop",
		adding(...[0, 1, 2, 3].map((index) => refused(`w${index}`, minute(190, index * 300), "no_inventory", "cart-21"))),
		"errors",
	],
	[
		"takes a new reference on each try",
		adding(renamed("w1", 0, "cart-22"), renamed("w2", 2, "cart-23"), renamed("w3", 4, "cart-24")),
		"errors",
	],
	["breaks on a new field", adding(reserve("w1", minute(145, 1_000), "cart-9", "h9", true)), "unkind"],
	[
		"keeps a retired PDF",
		{
			...showing(182, 200, linksRetired),
			requests: [...run.requests, feed("w1", minute(184), "status=all&cursor=c2", [TOMBSTONE], "c3")],
			retirement: { ...RETIREMENT, at: minute(182) },
		},
		"coa_shown",
	],
];
