import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { OrderGoal } from "./advance-order.ts";

/** The goals that a request may name for an order or a hold. */
export const GOALS = ["picked", "shipped", "held", "expired"] as const;

/** The order or hold that a partner wants to advance, and its goal. */
export type AdvanceGoal =
	| { readonly ref: string; readonly to: OrderGoal }
	| { readonly token: string; readonly to: "expired" };

interface Asked {
	readonly order_ref?: string;
	readonly reservation_token?: string;
	readonly to: (typeof GOALS)[number];
}

/**
 * Checks that the request names an order or a hold, and a goal that fits it: the schema of one object cannot express
 * this (settlements, section 10).
 */
export function advanceGoal({
	order_ref: ref,
	reservation_token: token,
	to,
}: Asked): AdvanceGoal | Refusal<"invalid_input"> {
	if ((ref === undefined) === (token === undefined))
		return refuse("invalid_input", "/: expected one of order_ref and reservation_token, and not both.");
	if (ref !== undefined) {
		if (to !== "expired") return { ref, to };
		return refuse("invalid_input", '/to: expected "picked", "shipped" or "held" for an order.');
	}
	if (to === "expired" && token !== undefined) return { token: token.toLowerCase(), to };
	return refuse("invalid_input", '/to: expected "expired" for a hold.');
}
