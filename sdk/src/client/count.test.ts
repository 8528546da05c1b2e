import { describe, expect, it } from "vitest";
import { type Count, counted, isKnown, shown } from "./count.ts";

const since = new Date("2026-09-06T12:00:00.000Z");
const known = (qty: number): Count => ({ kind: "known", qty });

describe("Counts of a reply", () => {
	it("each number of units or kits is a known count; other numbers stay numbers", () => {
		const item = {
			sku: "A",
			requestedQty: 2,
			atpQty: 0,
			components: [{ perKit: 3, availableUnits: 9 }],
			totals: { onHand: 4, reserved: 1, atp: 3 },
			asOf: since,
		};
		expect(counted(item, since)).toEqual({
			sku: "A",
			requestedQty: 2,
			atpQty: known(0),
			components: [{ perKit: 3, availableUnits: known(9) }],
			totals: { onHand: known(4), reserved: known(1), atp: known(3) },
			asOf: since,
		});
	});

	it("the zeros of a SKU that does not exist are unknown", () => {
		const { atpQty } = counted({ known: false, tracksInventory: false, atpQty: 0 }, since);
		expect(atpQty).toEqual({ kind: "unknown", why: "unknown_sku", since });
	});

	it("the zeros of a fee are untracked, also deeper in the reply", () => {
		const product = counted({ tracksInventory: false, availability: { atpQty: 0 } }, since);
		expect(product.availability.atpQty).toEqual({ kind: "untracked" });
	});
});

describe("A count as text", () => {
	const texts = { unknown: "Ask us", untracked: "Always" };
	it.for([
		[known(0), "0"],
		[known(12), "12"],
		[{ kind: "untracked" }, "Always"],
		[{ kind: "unknown", why: "stale", since }, "Ask us"],
	] as const)("%j is shown as %s", ([count, text]) => {
		expect(shown(count, texts)).toBe(text);
		expect(isKnown(count)).toBe(count.kind === "known");
	});

	it("the text for an unknown count may depend on the reason, and an untracked one has none unless it is given", () => {
		expect(shown({ kind: "unknown", why: "stale", since }, { unknown: ({ why }) => `no count (${why})` })).toBe(
			"no count (stale)",
		);
		expect(shown({ kind: "untracked" }, { unknown: "?" })).toBe("");
	});
});
