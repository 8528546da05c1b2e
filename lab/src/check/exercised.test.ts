import { describe, expect, it } from "vitest";
import { passedBy, type Step } from "../rooms/holds/first-expired.ts";
import type { PartRow } from "../rooms/holds/look-up-sql.ts";
import type { Wrong } from "./findings.ts";
import { OrderStory } from "./order-story.ts";
import { type Span, Story } from "./story.ts";

interface Told {
	readonly title: string;
	readonly story: () => Story;
	readonly wrongs: readonly Wrong[];
}

const CHECKS = 100;
const times = (story: Story, tell: (story: Story, at: Span) => unknown): Story => {
	for (let n = 0; n < CHECKS; n++) tell(story, [n * 10, n * 10 + 5]);
	return story;
};
const FROZEN = { fault: "postgres-freeze", began: 0, ended: 2_000, touched: "all" } as const;

const SERVED: readonly Told[] = [
	{
		title: "a 500 while a fault lasts",
		story: () =>
			new Story().fault(FROZEN).release([1_000, 1_010], "t", 500).found("t").reserve([0, 10], { token: "t" }),
		wrongs: [],
	},
	{
		title: "a 500 within three seconds after a fault",
		story: () =>
			new Story().fault(FROZEN).reserve([0, 10], { token: "t" }).release([4_900, 4_910], "t", 500).found("t"),
		wrongs: [],
	},
	{
		title: "a 500 without a fault",
		story: () =>
			new Story().fault(FROZEN).reserve([0, 10], { token: "t" }).release([5_100, 5_110], "t", 500).found("t"),
		wrongs: ["unserved"],
	},
	{
		title: "a hundred checks that are done",
		story: () => times(new Story(), (story, at) => story.check(at, "LAST", 6)),
		wrongs: [],
	},
	{
		title: "a hundred checks of which a third is answered 429",
		story: () => times(new Story(), (story, at) => story.check(at, "LAST", 6, { status: at[0] % 3 === 0 ? 429 : 200 })),
		wrongs: ["unserved"],
	},
];

const demand = (reference: string, units: number) => ({
	what: "demand",
	reference,
	formula: "PROMISED",
	brand: null,
	units,
});
const ADD = ["demand", "add"];
const CLEAR = ["demand", "clear"];
/** Of PROMISED 60 units are in the shared stock, and 10 of them are promised. */
const DEMAND: readonly Told[] = [
	{
		title: "counts that follow demand as it is added and cleared",
		story: () =>
			new Story()
				.check([0, 10], "P", 50, { available: 60 })
				.errand([20, 30], ADD, demand("elsewhere-1", 30))
				.check([40, 50], "P", 20, { available: 60 })
				.errand([60, 70], CLEAR, demand("elsewhere-1", 0))
				.check([80, 90], "P", 50, { available: 60 }),
		wrongs: [],
	},
	{
		title: "a count in the midst of a change of demand",
		story: () =>
			new Story().errand([20, 30], ADD, demand("elsewhere-1", 30)).check([25, 28], "P", 20, { available: 60 }),
		wrongs: [],
	},
	{
		title: "demand that nobody heard of and the tables have",
		story: () =>
			new Story()
				.errand([0, 10], ADD, demand("elsewhere-1", 30), { code: null })
				.stockFound([], [], [{ reference: "elsewhere-1", formula: "PROMISED", brand: null, units: 30 }])
				.check([100_000, 100_010], "P", 20, { available: 60 }),
		wrongs: [],
	},
	{
		title: "a count that does not see demand",
		story: () =>
			new Story().errand([0, 10], ADD, demand("elsewhere-1", 30)).check([40, 50], "P", 50, { available: 60 }),
		wrongs: ["wrong read"],
	},
	{
		title: "a reserve of what is promised",
		story: () =>
			new Story().errand([0, 10], ADD, demand("elsewhere-1", 30)).reserve([40, 50], { token: "t", sku: "P", qty: 21 }),
		wrongs: ["oversold"],
	},
	{
		title: "a refusal because of demand that was cleared",
		story: () =>
			new Story()
				.errand([0, 10], ADD, demand("elsewhere-1", 30))
				.errand([20, 30], CLEAR, demand("elsewhere-1", 0))
				.reserve([40, 50], { token: "t", sku: "P", qty: 40, status: 409 }),
		wrongs: ["wrong read"],
	},
	{
		title: "demand that was cleared and stands",
		story: () =>
			new Story()
				.errand([0, 10], ADD, demand("elsewhere-1", 30))
				.errand([20, 30], CLEAR, demand("elsewhere-1", 0))
				.stockFound([], [], [{ reference: "elsewhere-1", formula: "PROMISED", brand: null, units: 30 }]),
		wrongs: ["doubled"],
	},
	{
		title: "demand that was acknowledged and is gone",
		story: () => new Story().errand([0, 10], ADD, demand("elsewhere-1", 30)).stockFound([]),
		wrongs: ["lost"],
	},
];

const row = (line: number, units: number, state = "held", lot = "lot of LAST"): PartRow => [
	...([line, "LAST", null, lot, units, state] as const),
];
const two = { lines: [{ sku: "LAST", qty: 2 }], parts: [["LAST", null, 2]] as const, moved: { reserve: 2 } };
const held = (): Story => new Story().reserve([0, 10], { token: "t", qty: 2 });
const LINES: readonly Told[] = [
	{ title: "a hold whose rows are those of its reply", story: () => held().found("t", two), wrongs: [] },
	{
		title: "a hold on another lot than was answered",
		story: () => held().found("t", { ...two, rows: [row(0, 2, "held", "another lot")] }),
		wrongs: ["changed"],
	},
	{
		title: "a hold whose units are bound to another line",
		story: () => held().found("t", { ...two, rows: [row(1, 2)] }),
		wrongs: ["changed", "lost"],
	},
];

const placed = (): OrderStory => new OrderStory().reserve([0, 10], { token: "t" }).place([20, 30], { id: "o" });
const packed = (qty: number, units: number) => [
	{ orderId: "o", line: 0, sku: "LAST", qty, lots: [["lot of LAST", "L-1", units]] as const },
];
const told = (units: number, final = true) => ({
	final,
	items: [{ sku: "LAST", qty: 1, lots: [{ batch_number: "L-1", units }] }],
});
const gone = (): OrderStory => placed().ship([200, 300], "o", "b").order("o", { status: "shipped" });
const asPlaced = (state: string) => ({
	status: "placed",
	orderRef: "k",
	moved: {
		reserve: 1,
		place: 1,
	},
	rows: [row(0, 1, state)],
});
const BOXES: readonly Told[] = [
	{
		title: "a box whose lots are shipped, and an event that tells of them",
		story: () =>
			gone()
				.box("b", { items: packed(1, 1) })
				.event("e", told(1))
				.found("t", asPlaced("shipped")),
		wrongs: [],
	},
	{
		title: "a box whose lots are not the ones that are shipped",
		story: () =>
			gone()
				.box("b", { items: packed(1, 1) })
				.event("e", told(1))
				.found("t", asPlaced("allocated")),
		wrongs: ["changed"],
	},
	{
		title: "an event that tells of other units than its box has",
		story: () =>
			gone()
				.box("b", { items: packed(1, 1) })
				.event("e", told(2))
				.found("t", asPlaced("shipped")),
		wrongs: ["changed"],
	},
	{
		title: "an event that says that something is left when nothing is",
		story: () =>
			gone()
				.box("b", { items: packed(1, 1) })
				.event("e", told(1, false))
				.found("t", asPlaced("shipped")),
		wrongs: ["changed"],
	},
];

const page = (...rows: readonly (readonly [string, string, string])[]) => ({
	what: "page",
	list: "products",
	manner: "seen",
	rows,
});
const whole = (...rows: readonly (readonly [string, string, string])[]) => ({ what: "whole", list: "products", rows });
const READERS: readonly Told[] = [
	{
		title: "a reader who saw every change",
		story: () =>
			new Story()
				.recorded("readers", page(["A", "1", "old"]))
				.recorded("readers", whole(["A", "2", "new"]))
				.recorded("readers", page(["A", "2", "new"])),
		wrongs: [],
	},
	{
		title: "a reader who saw a change that came after the list was read",
		story: () =>
			new Story().recorded("readers", whole(["A", "2", "new"])).recorded("readers", page(["A", "3", "newer"])),
		wrongs: [],
	},
	{
		title: "a reader who never saw a row",
		story: () => new Story().recorded("readers", page()).recorded("readers", whole(["A", "2", "new"])),
		wrongs: ["lost"],
	},
	{
		title: "a reader who kept what had changed",
		story: () => new Story().recorded("readers", page(["A", "1", "old"])).recorded("readers", whole(["A", "2", "new"])),
		wrongs: ["lost"],
	},
];

const restored = (holds: readonly unknown[], code = 0) => ({
	start: 500,
	end: 600,
	code,
	trouble: code === 0 ? null : "a rule",
	holds,
	batches: [],
	orders: {
		orders: [],
		boxes: [],
	},
});
const copyOf = (token: string, more: object = {}) => ({
	token,
	keyId: "id of open-web",
	status: "active",
	ref: null,
	consumeRef: null,
	orderRef: null,
	createdAt: 0,
	endedAt: null,
	expiresAt: 2e6,
	consumed: null,
	returned: null,
	lines: [
		{
			sku: "LAST",
			qty: 1,
		},
	],
	parts: [["LAST", null, 1]],
	rows: [],
	moved: { reserve: 1 },
	...more,
});
const early = (): Story => new Story().reserve([0, 10], { token: "t" }).found("t");
const BACKUPS: readonly Told[] = [
	{
		title: "a backup that has what was acknowledged before it",
		story: () => early().recorded("backups", restored([copyOf("t")])),
		wrongs: [],
	},
	{
		title: "a backup without what was being asked for when it was begun",
		story: () => new Story().reserve([490, 510], { token: "t" }).found("t").recorded("backups", restored([])),
		wrongs: [],
	},
	{
		title: "a backup without a hold that was acknowledged before it",
		story: () => early().recorded("backups", restored([])),
		wrongs: ["lost"],
	},
	{
		title: "a backup with half of a hold",
		story: () => early().recorded("backups", restored([copyOf("t", { moved: {} })])),
		wrongs: ["lost"],
	},
	{
		title: "a backup whose restore is not clean",
		story: () => early().recorded("backups", restored([copyOf("t")], 1)),
		wrongs: ["lost"],
	},
	{
		title: "a backup with a hold that was asked for after it was done",
		story: () =>
			new Story()
				.reserve([700, 710], { token: "t" })
				.found("t")
				.recorded("backups", restored([copyOf("t")])),
		wrongs: ["doubled"],
	},
];

describe("the checker, of what a run must exercise", () => {
	const all = [...SERVED, ...DEMAND, ...LINES, ...BOXES, ...READERS, ...BACKUPS];
	it.each(all.filter(({ wrongs }) => wrongs.length === 0))("finds nothing wrong in $title", ({ story }) => {
		expect(story().wrongs()).toEqual([]);
	});
	it.each(all.filter(({ wrongs }) => wrongs.length > 0))("finds $wrongs in $title", ({ story, wrongs }) => {
		expect(story().wrongs()).toEqual(wrongs);
	});
});

describe("first expired, first out", () => {
	const SECOND = 1_000;
	const step = (fgId: string, at: number, units: number, token: string | null = null): Step => ({
		fgId,
		shelf: "shelf",
		turn: fgId === "sooner" ? 1 : 2,
		at: at * SECOND,
		units,
		token,
	});
	const both = [step("sooner", 0, 5), step("later", 0, 5)];

	it("finds a reserve that passed by a lot which had free units for 15 s and has some left", () => {
		expect(passedBy([...both, step("later", 20, -1, "t")])).toEqual([
			{ token: "t", taken: "later", passed: "sooner", at: 20 * SECOND },
		]);
	});

	it.each<[why: string, steps: readonly Step[]]>([
		["took the sooner lot", [...both, step("sooner", 20, -1, "t")]],
		["took all of the sooner lot first", [...both, step("later", 20, -1, "t"), step("sooner", 20, -5, "t")]],
		[
			"came soon after units were given back",
			[...both, step("sooner", 10, -5), step("sooner", 12, 2), step("later", 20, -1, "t")],
		],
		["was no reserve", [...both, step("later", 20, -1)]],
	])("finds nothing in what %s", (_why, steps) => {
		expect(passedBy(steps)).toEqual([]);
	});
});
