import { describe, expect, it } from "vitest";
import { reachesLabelPlatform } from "../../inventory/orders/shipment.ts";
import { type BoxedTestOrder, fakeLabel, nextMoves, PICKED_AFTER_MS, SHIPPED_AFTER_MS } from "./box.ts";

let made = 0;
const order = (rest: Partial<BoxedTestOrder> = {}): BoxedTestOrder => ({
	orderId: `0199f0a0-3333-7000-8000-00000000000${++made}`,
	token: `token ${made}`,
	status: "placed",
	serviceLevel: "standard",
	ageMs: 0,
	actsOutHeld: false,
	...rest,
});
const NOTHING = { hold: [], pick: [], ship: false };
const DUE = { ageMs: PICKED_AFTER_MS };
const LATE = { ageMs: SHIPPED_AFTER_MS };

describe("What the sandbox does with a box (settlements, section 10)", () => {
	it("picks at 30 seconds and not before, ships what was picked at 60 and not before", () => {
		const young = order({ ageMs: PICKED_AFTER_MS - 1 });
		expect(nextMoves([young])).toEqual(NOTHING);
		const due = order(DUE);
		expect(nextMoves([due])).toEqual({ ...NOTHING, pick: [due] });
		expect(nextMoves([order({ status: "picked", ageMs: SHIPPED_AFTER_MS - 1 })])).toEqual(NOTHING);
		expect(nextMoves([order({ status: "picked", ...LATE })])).toEqual({ ...NOTHING, ship: true });
		expect(nextMoves([order({ status: "partially_shipped", ...LATE })])).toEqual({ ...NOTHING, ship: true });
	});

	it("picks first also when shipping is overdue", () => {
		const late = order(LATE);
		expect(nextMoves([late])).toEqual({ ...NOTHING, pick: [late] });
	});

	it("orders in one box wait for the one placed last, and move on together", () => {
		const [old, young] = [order(LATE), order()];
		expect(nextMoves([old, young])).toEqual(NOTHING);
		const both = [order(LATE), order(DUE)];
		expect(nextMoves(both)).toEqual({ ...NOTHING, pick: both });
		const halfPicked = [order({ status: "picked", ...LATE }), order(LATE)];
		expect(nextMoves(halfPicked)).toEqual({ ...NOTHING, pick: [halfPicked[1]] });
		expect(nextMoves([order({ status: "picked", ...LATE }), order({ status: "picked", ...DUE })])).toEqual(NOTHING);
	});

	it("holds what acts out a hold at its own 30 seconds, and lets nothing in its box go on while it is held", () => {
		const acting = order({ ...DUE, actsOutHeld: true });
		expect(nextMoves([order(LATE), acting, order()])).toEqual({ ...NOTHING, hold: [acting] });
		expect(nextMoves([order({ ageMs: PICKED_AFTER_MS - 1, actsOutHeld: true })])).toEqual(NOTHING);
		expect(nextMoves([order(LATE), order({ ...LATE, status: "held" })])).toEqual(NOTHING);
	});

	it("does not hold again what a partner moved on before its time", () => {
		expect(nextMoves([order({ ...LATE, status: "picked", actsOutHeld: true })])).toEqual({ ...NOTHING, ship: true });
	});
});

describe("The label of a box of the sandbox", () => {
	it("is the same each time, another for another order, and says that it is made up", () => {
		const one = { orderId: "0199f0a0-3333-7000-8000-00e8d4a50fff", serviceLevel: "overnight" } as const;
		expect(fakeLabel(one)).toEqual({
			carrierCode: "sandbox_post",
			serviceCode: "sandbox_post_overnight",
			trackingNumber: "SBX999999999999",
		});
		expect(fakeLabel({ ...one, orderId: "0199f0a0-3333-7000-8000-000000000001" }).trackingNumber).toBe(
			"SBX000000000001",
		);
	});

	it("never reaches the label platform, as nothing of the sandbox does", () => {
		expect(reachesLabelPlatform({ environment: "sandbox" })).toBe(false);
		expect(reachesLabelPlatform({ environment: "live" })).toBe(true);
	});
});
