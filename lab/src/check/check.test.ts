import { describe, expect, it } from "vitest";
import type { Wrong } from "./findings.ts";
import { Story } from "./story.ts";

interface Told {
	readonly title: string;
	readonly story: () => Story;
	readonly wrongs: readonly Wrong[];
}

const receive = (mark: string, units: number) => ({
	what: "receive",
	formula: "LAST",
	brand: null,
	units,
	mark,
	fgId: null,
});
const restore = { what: "restore", formula: "FRAGILE", brand: null, units: null, mark: "good-1", fgId: "f" };
const RECEIVE = ["stock", "receive"];
const revoke = { what: "revoke", key: "open-web", secretsBelow: null };

/** Six units of LAST are in the shared stock when a story begins. */
const HONEST: readonly Told[] = [
	{
		title: "a hold that lives, is consumed and given back",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t" })
				.consume([20, 30], "t", "c")
				.reverse([40, 50], "c")
				.found("t", { status: "reversed", consumeRef: "c" }),
		wrongs: [],
	},
	{
		title: "an unknown reserve that happened, and one that did not",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "", ref: "a", status: null })
				.reserve([0, 10], { token: "", ref: "b", status: null })
				.found("x", { ref: "a" }),
		wrongs: [],
	},
	{
		title: "the second of two unknown reserves for the same that happened, although a fault set the clock later",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "", status: null })
				.check([50_000, 50_010], "LAST", 6)
				.reserve([100_000, 100_010], { token: "", status: null })
				.fault({
					fault: "clock-step",
					began: 200_000,
					ended: 201_000,
					touched: "all",
					clockOff: { least: 0, most: 1_000 },
				})
				.found("x", { createdAt: 100_005 }),
		wrongs: [],
	},
	{
		title: "a count that sees a hold which nobody was told of yet, or does not",
		story: () =>
			new Story().reserve([0, 100], { token: "t" }).check([10, 20], "LAST", 6).check([30, 40], "LAST", 5).found("t"),
		wrongs: [],
	},
	{
		title: "a count that sees the hold's end, while a consume that was decided before it is not committed",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", lastsMs: 60_000 })
				.consume([59_900, 60_900], "t", "c")
				.check([60_500, 60_510], "LAST", 6)
				.check([61_000, 61_010], "LAST", 5)
				.found("t", { status: "consumed", consumeRef: "c" }),
		wrongs: [],
	},
	{
		title: "a unit that is sold again after the hold's end by the clock",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", qty: 6, lastsMs: 60_000 })
				.reserve([60_200, 60_300], { token: "u", qty: 6 }),
		wrongs: [],
	},
	{
		title: "a release without an answer before the hold's end, and its repetition after it",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", lastsMs: 60_000 })
				.release([59_000, 59_010], "t", null)
				.release([90_000, 90_010], "t"),
		wrongs: [],
	},
	{
		title: "a release that was first tried after the hold's end",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", lastsMs: 60_000 })
				.release([90_000, 90_010], "t", null)
				.release([91_000, 91_010], "t"),
		wrongs: ["unexpected"],
	},
	{
		title: "a hold that a clock set ahead has ended early",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", qty: 6 })
				.fault({
					fault: "clock-step",
					began: 1_000,
					ended: 2_000,
					touched: "all",
					clockOff: { least: 0, most: 3_600_000 },
				})
				.reserve([1_500, 1_600], { token: "u", qty: 6 })
				.release([3_000, 3_100], "t", 410),
		wrongs: [],
	},
	{
		title: "a hold that a clock set back has kept alive",
		story: () =>
			new Story()
				.fault({
					fault: "clock-step",
					began: 0,
					ended: 5_000,
					touched: "all",
					clockOff: { least: -3_600_000, most: 0 },
				})
				.reserve([100, 110], { token: "t", lastsMs: -1_800_000 })
				.release([1_000, 1_100], "t"),
		wrongs: [],
	},
	{
		title: "a revoked key that is served for less than a second",
		story: () =>
			new Story()
				.errand([0, 100], ["keys", "revoke"], revoke)
				.check([900, 910], "LAST", 6)
				.check([2_000, 2_010], "LAST", 6, { status: 401 }),
		wrongs: [],
	},
	{
		title: "a receive that nobody heard of, and that happened",
		story: () =>
			new Story()
				.errand([0, 100], RECEIVE, receive("in-1", 4), { code: null })
				.check([50_000, 50_010], "LAST", 10)
				.stockFound([{ batch: "in-1", units: 4, lots: 1 }]),
		wrongs: [],
	},
	{
		title: "a restore that gives some units back to those who lost them",
		story: () =>
			new Story()
				.errand([0, 100], ["stock", "restore"], restore, { out: { moved: 3, given_back: 1 } })
				.stockFound([], [{ mark: "good-1", cause: "restore", units: 2 }]),
		wrongs: [],
	},
];

const LOST: readonly Told[] = [
	{
		title: "an acknowledged hold that is in no table",
		story: () => new Story().reserve([0, 10], { token: "t" }).nothingElse(),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged consume of which the tables know nothing",
		story: () => new Story().reserve([0, 10], { token: "t" }).consume([20, 30], "t", "c").found("t"),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged release of which the tables know nothing",
		story: () => new Story().reserve([0, 10], { token: "t" }).release([20, 30], "t").found("t"),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged reverse of which the tables know nothing",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t" })
				.consume([20, 30], "t", "c")
				.reverse([40, 50], "c")
				.found("t", { status: "consumed", consumeRef: "c" }),
		wrongs: ["lost"],
	},
	{
		title: "a hold that its own key is told does not exist",
		story: () => new Story().reserve([0, 10], { token: "t" }).release([20, 30], "t", 404),
		wrongs: ["lost"],
	},
	{
		title: "a hold that is answered as over long before its end",
		story: () => new Story().reserve([0, 10], { token: "t" }).consume([20, 30], "t", "c", { status: 410 }),
		wrongs: ["lost"],
	},
	{
		title: "a hold that the ledger has only half of",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", qty: 2 })
				.found("t", { parts: [["LAST", null, 2]], lines: [{ sku: "LAST", qty: 2 }], moved: { reserve: 1 } }),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged receive of which the tables know nothing",
		story: () => new Story().errand([0, 100], RECEIVE, receive("in-1", 4)).stockFound([]),
		wrongs: ["lost"],
	},
	{
		title: "an acknowledged revocation of which the tables know nothing",
		story: () =>
			new Story()
				.errand([0, 100], ["keys", "revoke"], revoke)
				.keysFound([{ name: "open-web", keyId: "id of open-web", revokeAt: null, secrets: 1 }]),
		wrongs: ["lost"],
	},
];

const DOUBLED: readonly Told[] = [
	{
		title: "a hold that nobody asked for",
		story: () => new Story().reserve([0, 10], { token: "t" }).found("t").found("u"),
		wrongs: ["doubled"],
	},
	{
		title: "an unknown reserve that happened twice",
		story: () => new Story().reserve([0, 10], { token: "", status: null }).found("x").found("y"),
		wrongs: ["doubled"],
	},
	{
		title: "two holds at a time under one reference",
		story: () => new Story().reserve([0, 10], { token: "t", ref: "r" }).reserve([20, 30], { token: "u", ref: "r" }),
		wrongs: ["doubled"],
	},
	{
		title: "a hold that was released and consumed",
		story: () => new Story().reserve([0, 10], { token: "t" }).release([20, 30], "t").consume([40, 50], "t", "c"),
		wrongs: ["doubled"],
	},
	{
		title: "a hold that was released although nobody asked for it",
		story: () => new Story().reserve([0, 10], { token: "t" }).found("t", { status: "released" }),
		wrongs: ["doubled"],
	},
	{
		title: "a release that the ledger has twice",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t" })
				.release([20, 30], "t")
				.found("t", { status: "released", moved: { reserve: 1, release: 2 } }),
		wrongs: ["doubled"],
	},
	{
		title: "a receive that the tables have twice",
		story: () =>
			new Story().errand([0, 100], RECEIVE, receive("in-1", 4)).stockFound([{ batch: "in-1", units: 8, lots: 1 }]),
		wrongs: ["doubled"],
	},
];

const OVERSOLD: readonly Told[] = [
	{
		title: "seven of six units, one after the other",
		story: () => new Story().reserve([0, 10], { token: "t", qty: 6 }).reserve([20, 30], { token: "u" }),
		wrongs: ["oversold"],
	},
	{
		title: "seven of six units, at the same time",
		story: () => new Story().reserve([0, 30], { token: "t", qty: 6 }).reserve([5, 25], { token: "u" }),
		wrongs: ["oversold"],
	},
	{
		title: "a unit that was consumed, and is sold again",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", qty: 6 })
				.consume([20, 30], "t", "c", { units: 6 })
				.reserve([40, 50], { token: "u" }),
		wrongs: ["oversold"],
	},
	{
		title: "a unit that was sold while it was still held, although it was free in the end",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", qty: 6 })
				.reserve([20, 30], { token: "u" })
				.release([40, 50], "t")
				.release([40, 50], "u"),
		wrongs: ["oversold"],
	},
	{
		title: "more than the cap of a key",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", sku: "A", qty: 20, by: "capped" })
				.reserve([20, 30], { token: "u", sku: "A", qty: 6, by: "capped" }),
		wrongs: ["oversold"],
	},
];

const READ: readonly Told[] = [
	{
		title: "a count that is too high",
		story: () => new Story().reserve([0, 10], { token: "t" }).check([20, 30], "LAST", 6),
		wrongs: ["wrong read"],
	},
	{
		title: "a count that shows what was given back long before as held",
		story: () => new Story().reserve([0, 10], { token: "t" }).release([20, 30], "t").check([40, 50], "LAST", 5),
		wrongs: ["wrong read"],
	},
	{
		title: "a count that shows consumed units as free, although the consume was answered before",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t", lastsMs: 60_000 })
				.consume([59_900, 60_900], "t", "c")
				.check([61_000, 61_010], "LAST", 6)
				.found("t", { status: "consumed", consumeRef: "c" }),
		wrongs: ["wrong read"],
	},
	{
		title: "a count that shows a hold past its end as held",
		story: () => new Story().reserve([0, 10], { token: "t", lastsMs: 60_000 }).check([60_200, 60_210], "LAST", 5),
		wrongs: ["wrong read"],
	},
	{
		title: "an inventory that is too high",
		story: () => new Story().reserve([0, 10], { token: "t" }).inventory([20, 30], "LAST", 6, [null]),
		wrongs: ["wrong read"],
	},
	{
		title: "a refusal for want of units that were there all the while",
		story: () => new Story().reserve([0, 10], { token: "t", status: 409 }),
		wrongs: ["wrong read"],
	},
];

const LEAKS: readonly Told[] = [
	{
		title: "another key's hold that could be released",
		story: () => new Story().reserve([0, 10], { token: "t" }).release([20, 30], "t", 200, "bolt-web"),
		wrongs: ["leak"],
	},
	{
		title: "another key's consume that could be reversed",
		story: () =>
			new Story()
				.reserve([0, 10], { token: "t" })
				.consume([20, 30], "t", "c")
				.reverse([40, 50], "c", { by: "bolt-web" }),
		wrongs: ["leak"],
	},
	{
		title: "an inventory that shows another brand",
		story: () => new Story().inventory([0, 10], "LAST", 6, [null, "ACME"]),
		wrongs: ["leak"],
	},
	{
		title: "units of the shared stock for a key without access to it",
		story: () => new Story().reserve([0, 10], { token: "t", sku: "A", by: "acme-own" }),
		wrongs: ["leak"],
	},
];

describe("the checker", () => {
	it.each(HONEST)("finds nothing wrong with $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});

	it.each([...LOST, ...DOUBLED, ...OVERSOLD, ...READ, ...LEAKS])("finds $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
});
