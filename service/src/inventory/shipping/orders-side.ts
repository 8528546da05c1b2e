import type { Refusal } from "../../ground/lib/refusal.ts";
import type { LabelBox, PlatformBox } from "./label-platform.ts";

/** What the label platform told of orders. Which orders it concerns is in it. */
export type BoxChange =
	/** A box is now as `box` says. Items of orders that are not ours are left out. */
	| { readonly kind: "box"; readonly changeId: string; readonly box: PlatformBox }
	/** The platform did not accept an order; it goes on hold for this reason (settlements, section 9). */
	| {
			readonly kind: "not_accepted";
			readonly changeId: string;
			readonly orderIds: readonly string[];
			readonly reason: "address_invalid" | "label_error";
			/** In words, for the partner. */
			readonly detail: string;
	  };

/** `stand_still`: an order in the box is on hold. `not_ship`: the order was cancelled. */
export type BoxWish = "go" | "stand_still" | "not_ship";

/** What the label platform needs of the orders, and they of it: three functions, and no table in common. */
export interface OrdersSide {
	/** The box that is to be handed over for an order; null: none is any more. */
	readBox(orderId: string): Promise<Omit<LabelBox, "generation"> | null>;
	/** What is to become of the box in which an order waits. */
	wishOf(orderId: string): Promise<BoxWish>;
	/**
	 * Carries a change over, in a transaction of its own. It may come twice, after a crash for instance: then
	 * `already`, and nothing is done. A refusal is kept for the operator, and the change is offered again from time to
	 * time. Throws when it cannot be said what was done.
	 */
	applyChange(change: BoxChange): Promise<"applied" | "already" | Refusal>;
}
