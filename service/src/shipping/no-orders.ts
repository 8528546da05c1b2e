import { refuse } from "../lib/refusal.ts";
import type { OrdersSide } from "./orders-side.ts";

/** The orders' side of a release that has no orders: nothing is to be handed over, and whatever the platform has is none of ours. */
export const NO_ORDERS: OrdersSide = {
	readBox: () => Promise.resolve(null),
	applyChange: () => Promise.resolve(refuse("order_not_found", "This release has no orders.")),
};
