import { describe, expect, it } from "vitest";
import { allocate, isShortage, replace, type Want } from "./allocate.ts";
import type { StockView } from "./count.ts";
import { byFefo, type Pickable } from "./lot.ts";

const BRAND = 2;
const SHARED = 0;

/** `a:2/5 till 2026-04-01` is lot a in pool 2 with 5 free units. All are of one formula. */
function view(lots: string, promised: Record<number, number> = {}): StockView<Pickable> {
	const shelves = new Map<number, Pickable[]>();
	for (const text of lots.split(", ").filter(Boolean)) {
		const [, fgId = "", pool, units, expiresOn] = /^(\w+):(\d)\/(\d+)(?: till (\S+))?$/.exec(text) ?? [];
		const lot = { fgId, expiresOn: expiresOn ?? null, receivedOn: "2026-01-01", available: Number(units) };
		shelves.set(Number(pool), [...(shelves.get(Number(pool)) ?? []), lot].sort(byFefo));
	}
	return {
		today: "2026-03-10",
		lots: (_formula, pool) => shelves.get(pool) ?? [],
		promised: (_formula, pool) => promised[pool] ?? 0,
	};
}

const want = (units: number, pools = [BRAND, SHARED], neededUntil?: string): Want => ({
	formulaId: "f",
	units,
	pools,
	neededUntil,
});
function tell(stock: StockView<Pickable>, wants: readonly Want[]): string {
	const outcome = allocate(stock, wants);
	if (isShortage(outcome)) return `want ${outcome.short} short, ${outcome.atp} to promise`;
	return outcome.map((picks) => picks.map(({ lot, units }) => `${units}${lot.fgId}`).join("+") || "nothing").join("; ");
}

describe("picking", () => {
	it.each([
		["nothing there", "", [want(1)], "want 0 short, 0 to promise"],
		["one lot", "a:2/5", [want(5)], "5a"],
		["as many lots as needed", "a:2/1, b:2/1, c:0/1", [want(3)], "1a+1b+1c"],
		["brand before shared, however late it expires", "a:0/5 till 2026-03-11, b:2/5", [want(6)], "5b+1a"],
		["the order of pools is the want's", "a:0/5, b:2/5", [want(6, [SHARED, BRAND])], "5a+1b"],
		["soonest expiry first, none last", "a:2/1, b:2/1 till 2026-05-01, c:2/1 till 2026-04-01", [want(3)], "1c+1b+1a"],
		["past its date: not there", "a:2/5 till 2026-03-09, b:2/1", [want(1)], "1b"],
		[
			"good until the day it is needed",
			"a:2/5 till 2026-03-19, b:2/5 till 2026-03-20",
			[want(1, [BRAND], "2026-03-20")],
			"1b",
		],
		["each want sees what those before took", "a:2/5", [want(3), want(2)], "3a; 2a"],
		["and falls short of it", "a:2/5", [want(3), want(3)], "want 1 short, 2 to promise"],
		["wants from other pools too", "a:2/2, b:0/5", [want(4), want(3, [SHARED])], "2a+2b; 3b"],
		["what out-of-date lots hold is not taken off", "a:2/9 till 2026-03-09, b:2/2", [want(1), want(1)], "1b; 1b"],
	])("%s", (_rule, lots, wants, picks) => {
		expect(tell(view(lots), wants)).toBe(picks);
	});

	it.each([
		[{ [BRAND]: 1 }, 4, "2a+2b"],
		[{ [BRAND]: 1 }, 5, "want 0 short, 4 to promise"],
		[{ [BRAND]: 9 }, 1, "want 0 short, 0 to promise"], // more than the brand has: both pools are used together
		[{ [BRAND]: 2, [SHARED]: 2 }, 1, "1a"],
	])("leaves what is promised, %j, alone: %i units", (promised, units, picks) => {
		expect(tell(view("a:2/2, b:0/3", promised), [want(units)])).toBe(picks);
	});
});

describe("picking again for units already granted", () => {
	it("takes what there is, whatever is promised, up to what was lost", () => {
		const picks = (units: number) =>
			replace(view("a:2/2, b:0/3", { [BRAND]: 9 }), want(units)).map(({ units: n, lot }) => `${n}${lot.fgId}`);
		expect(picks(4)).toEqual(["2a", "2b"]);
		expect(picks(9)).toEqual(["2a", "3b"]);
	});
});
