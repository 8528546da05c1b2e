import { describe, expect, it } from "vitest";
import { unreported } from "../../../test/unreported.ts";
import { changeExceptions, type KnownException, tellException } from "./exception.ts";
import { type Recipe, reconcile } from "./reconcile.ts";
import type { ReportedLine, ReportedOrder } from "./reported-order.ts";

const RECIPES = new Map<string, Recipe>([
	["one", { tracksInventory: true, components: [{ formulaId: "F", perKit: 1 }] }],
	[
		"kit",
		{
			tracksInventory: true,
			components: [
				{ formulaId: "F", perKit: 1 },
				{ formulaId: "G", perKit: 2 },
			],
		},
	],
	["bare", { tracksInventory: true, components: [] }],
	["fee", { tracksInventory: false, components: [] }],
	["SBX-PLENTY", { tracksInventory: true, components: [{ formulaId: "F", perKit: 1 }] }],
]);
/** `sku settled/shipped/ordered`, in kits. */
const order = (text: string, rest: Partial<ReportedOrder> = {}): ReportedOrder => ({
	...unreported("label", "label:1"),
	store: "S",
	lines: text.split(", ").map((line): ReportedLine => {
		const [, sku = "", settled, shipped, ordered] = /^(\S+) (\d+)\/(\d+)\/(\d+)$/.exec(line) ?? [];
		return { sku, orderedQty: Number(ordered), shippedQty: Number(shipped), settledQty: Number(settled) };
	}),
	...rest,
});
const comeTo = (of: ReportedOrder, store: Parameters<typeof reconcile>[1] = { poolId: 7, shared: true }): string => {
	const { promised, due, pools, lines, unsettled, pending } = reconcile(of, store, RECIPES);
	const units = (some: ReadonlyMap<string, number>) =>
		[...some].map(([formula, n]) => `${n} ${formula}`).join("+") || "0";
	const open = unsettled.map((one) => `${one.kind} ${one.subject} ${one.promisedKits}/${one.shippedKits}`);
	const settled = lines.map(({ sku, settledQty }) => `${sku}:${settledQty}`).join(" ");
	return [
		`promise ${units(promised)}`,
		`draw ${units(due)} of ${pools.join(">") || "none"}`,
		settled,
		...open,
		pending ? "pending" : "done",
	].join("; ");
};

describe("An order comes to units", () => {
	it.for([
		["what is ordered is promised", "kit 0/0/2, one 0/0/1", "promise 3 F+4 G; draw 0 of 7>0; kit:0 one:0; pending"],
		[
			"what was shipped is drawn, the rest stays promised",
			"kit 0/1/3",
			"promise 2 F+4 G; draw 1 F+2 G of 7>0; kit:1; pending",
		],
		["what was drawn is not drawn again", "kit 1/3/3", "promise 0; draw 2 F+4 G of 7>0; kit:3; done"],
		["more was shipped than ordered", "one 0/4/3", "promise 0; draw 4 F of 7>0; one:4; done"],
		["a fee is nothing", "fee 0/1/2", "promise 0; draw 0 of 7>0; fee:1; done"],
		[
			"a SKU that does not exist",
			"nope 0/1/3, one 0/0/1",
			"promise 1 F; draw 0 of 7>0; nope:0 one:0; unknown_sku nope 2/1; pending",
		],
		[
			"a SKU of the sandbox",
			"SBX-PLENTY 0/0/1",
			"promise 0; draw 0 of 7>0; SBX-PLENTY:0; unknown_sku SBX-PLENTY 1/0; pending",
		],
		["a SKU without a recipe", "bare 0/1/1", "promise 0; draw 0 of 7>0; bare:0; no_recipe bare 0/1; pending"],
	])("%s", ([, lines, then]) => {
		expect(comeTo(order(lines as string))).toBe(then);
	});

	it("a cancelled one promises nothing, and what was shipped of it is drawn", () => {
		expect(comeTo(order("one 0/1/0", { status: "cancelled" }))).toBe("promise 0; draw 1 F of 7>0; one:1; done");
	});

	it("one whose store nobody knows waits whole, but for fees", () => {
		const then = "promise 0; draw 0 of none; one:0 fee:1; unknown_store S 2/1; pending";
		expect(comeTo(order("one 0/1/3, fee 0/1/1"), null)).toBe(then);
		expect(comeTo(order("one 0/1/1", { store: null }), null)).toContain("unknown_store  0/1");
	});

	it("a SKU that does not exist waits for itself, not for the store as well", () => {
		const then = "promise 0; draw 0 of none; one:0 nope:0; unknown_sku nope 0/2; unknown_store S 0/1; pending";
		expect(comeTo(order("one 0/1/1, nope 0/2/2"), null)).toBe(then);
	});

	it("the shared stock is drawn on where the store may, and once where it sells that alone", () => {
		expect(comeTo(order("one 0/1/1"), { poolId: 7, shared: false })).toContain("of 7;");
		expect(comeTo(order("one 0/1/1"), { poolId: 0, shared: true })).toContain("of 0;");
	});
});

describe("Exceptions of an order", () => {
	const known = (
		exceptionId: number,
		subject: string,
		promisedKits: number,
		shippedKits: number,
		resolved = false,
	): KnownException => ({
		exceptionId,
		kind: "unknown_sku",
		subject,
		promisedKits,
		shippedKits,
		resolved,
	});
	const now = (subject: string, promisedKits: number, shippedKits: number) => ({
		kind: "unknown_sku" as const,
		subject,
		promisedKits,
		shippedKits,
	});

	it("are added, changed, left alone, or settled", () => {
		const before = [known(1, "A", 1, 0), known(2, "B", 1, 0), known(3, "C", 1, 1)];
		expect(changeExceptions(before, [now("A", 1, 0), now("B", 0, 1), now("D", 2, 0)])).toEqual({
			settled: [3],
			changed: [known(2, "B", 0, 1)],
			added: [now("D", 2, 0)],
		});
	});

	it("are not noted again when the operator has resolved them, unless more comes", () => {
		const resolved = [known(1, "A", 2, 3, true)];
		expect(changeExceptions(resolved, [now("A", 2, 0)]).added).toEqual([]);
		expect(changeExceptions(resolved, [now("A", 3, 0)]).added).toHaveLength(1);
		expect(changeExceptions(resolved, [now("A", 0, 1)]).added).toHaveLength(1);
		expect(changeExceptions(resolved, [now("B", 1, 0)]).added).toHaveLength(1);
	});

	it("say what happened and what to do", () => {
		const rest = { promisedKits: 0, shippedKits: 2, missingUnits: 0, brandCodes: [] };
		const shortage = { ...rest, shippedKits: 0, missingUnits: 4, brandCodes: ["ACME", null] };
		expect([
			tellException({ kind: "unknown_store", subject: "S", ...rest }).what,
			tellException({ kind: "unknown_store", subject: "", ...rest }).what,
			tellException({ kind: "unknown_sku", subject: "A", ...rest, promisedKits: 1 }).what,
			tellException({ kind: "no_recipe", subject: "A", ...rest }).todo,
			tellException({ kind: "shortage", subject: "CALM-60", ...shortage }).what,
		]).toEqual([
			'Nobody has set whose stock store "S" sells: 2 shipped and not drawn down.',
			"No report named the store: 2 shipped and not drawn down.",
			'There is no SKU "A": 1 ordered and not promised, 2 shipped and not drawn down.',
			"Import its recipe, then retry.",
			"4 units of CALM-60 shipped from ACME, then the shared stock could not be found: no lot has that many free units in date.",
		]);
	});
});
