import { describe, expect, it } from "vitest";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { OrderStatus } from "../../inventory/orders/order.ts";
import { decideErasure, type NamedBy } from "./erasure.ts";
import { MOST_OF_ADDRESS } from "./limits.ts";

/** `shipped`: an order in that state; `shipped!`: one whose customer was erased earlier. */
const orders = (...states: readonly string[]) =>
	states.map((state, n) => ({
		orderId: `O${n}`,
		called: `shop-${n}`,
		status: state.replace("!", "") as OrderStatus,
		isErased: state.endsWith("!"),
	}));

/**
 * The states of the orders found, then those that are erased, were erased earlier and stay; or the code of the refusal.
 */
const CASES: readonly (readonly [by: NamedBy, states: readonly string[], outcome: string])[] = [
	["order", ["shipped"], "O0 - -"],
	["order", ["cancelled"], "O0 - -"],
	["order", ["shipped!"], "- O0 -"],
	["order", ["placed"], "not_possible_now"],
	["order", ["held"], "not_possible_now"],
	["order", ["picked"], "not_possible_now"],
	["order", ["partially_shipped"], "not_possible_now"],
	["address", [], "not_found"],
	["address", ["shipped", "cancelled", "shipped!"], "O0,O1 O2 -"],
	["address", ["shipped", "partially_shipped"], "not_possible_now"],
	["address", Array.from({ length: MOST_OF_ADDRESS + 1 }, () => "shipped"), "invalid_input"],
	["list", [], "- - -"],
	["list", ["shipped", "picked", "shipped!", "cancelled"], "O0,O3 O2 O1"],
];

describe("Whose data is erased:", () => {
	it.for(CASES)("by %s, of orders that are %j: %s", ([by, states, outcome]) => {
		const decided = decideErasure(by, orders(...states));
		const shown = isRefusal(decided)
			? decided.refusal
			: [decided.erase, decided.already, decided.open].map((ids) => ids.join(",") || "-").join(" ");
		expect(shown).toBe(outcome);
	});

	it("a refusal says which orders, and what to do", () => {
		expect(decideErasure("order", orders("picked"))).toMatchObject({
			message: "Order shop-0 is picked and needs its address: ship or cancel it first. Nothing was erased.",
		});
		const many = decideErasure("address", orders(...Array.from({ length: 7 }, () => "placed"), "shipped"));
		expect(many).toMatchObject({
			message:
				"7 orders need their address: ship or cancel them first: shop-0 (placed), shop-1 (placed), shop-2 (placed), shop-3 (placed), shop-4 (placed), 2 more. Nothing was erased.",
		});
	});
});
