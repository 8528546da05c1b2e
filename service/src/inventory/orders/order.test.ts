import { describe, expect, it } from "vitest";
import {
	actionOf,
	can,
	canBePicked,
	isCancellable,
	isOpen,
	mustBePickedAgain,
	type OrderMove,
	type OrderStatus,
	refuseMove,
	statusBeforeShipping,
} from "./order.ts";

/** settlements, section 6: which moves are possible in each state, when nothing was shipped and when a part was. */
const TABLE: { readonly [status in OrderStatus]: readonly [nothingShipped: string, aPartShipped: string] } = {
	placed: ["hold cancel pick ship", "hold pick ship"],
	held: ["release cancel", "release"],
	picked: ["ship", "ship"],
	partially_shipped: ["ship", "ship"],
	shipped: ["", ""],
	cancelled: ["", ""],
};
const STATUSES = Object.keys(TABLE) as OrderStatus[];
const MOVES: readonly OrderMove[] = ["hold", "release", "cancel", "pick", "ship"];
const possible = (status: OrderStatus, shippedUnits: number): string =>
	MOVES.filter((move) => can(move, status, shippedUnits)).join(" ");

describe.each(STATUSES)("an order that is %s", (status) => {
	it("can be moved as the table says, and no further", () => {
		expect([possible(status, 0), possible(status, 1)]).toEqual(TABLE[status]);
	});

	it("is cancellable exactly when it can be cancelled", () => {
		for (const units of [0, 1]) expect(isCancellable(status, units)).toBe(can("cancel", status, units));
	});

	it("is open until it is shipped or cancelled", () => {
		expect(isOpen(status)).toBe(!["shipped", "cancelled"].includes(status));
	});

	it("is named by the refusal of a move that is not possible, with the states from which it is", () => {
		const { refusal, message } = refuseMove("pick", { ref: "O", externalOrderId: null, status });
		expect([refusal, message]).toEqual([
			"wrong_state",
			`Order O is ${status} and cannot be picked: only an order that is placed can.`,
		]);
	});
});

it("an order is picked when it is placed, and again where it was changed since, also when a part of it has left", () => {
	const picked = { pickedAt: 1, pickAgain: false };
	const changed = { pickedAt: 1, pickAgain: true };
	const never = { pickedAt: null, pickAgain: false };
	const which = (test: (order: Parameters<typeof canBePicked>[0]) => boolean, facts: typeof picked | typeof never) =>
		STATUSES.filter((status) => test({ status, ...facts }));
	expect(which(canBePicked, never)).toEqual(["placed"]);
	expect(which(canBePicked, picked)).toEqual(["placed"]);
	expect(which(canBePicked, changed)).toEqual(["placed", "picked", "partially_shipped"]);
	expect(which(mustBePickedAgain, never)).toEqual([]);
	expect(which(mustBePickedAgain, picked)).toEqual(["placed"]);
	expect(which(mustBePickedAgain, changed)).toEqual(STATUSES);
});

it("an order goes back to where it was before it was shipped or held", () => {
	expect(statusBeforeShipping(0, null)).toBe("placed");
	expect(statusBeforeShipping(0, 1)).toBe("picked");
	expect(statusBeforeShipping(2, null)).toBe("partially_shipped");
	expect(statusBeforeShipping(2, 1)).toBe("partially_shipped");
});

it("a wrong address is the partner's to mend, everything else the manufacturer's", () => {
	const reasons = ["address_invalid", "out_of_stock", "lot_recalled", "label_error", "operator", "other"] as const;
	expect(reasons.filter((reason) => actionOf(reason) === "partner")).toEqual(["address_invalid"]);
});
