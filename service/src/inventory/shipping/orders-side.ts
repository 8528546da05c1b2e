import type { Refusal } from "../../ground/lib/refusal.ts";
import type { LabelBox, PlatformBox } from "./label-platform.ts";

/** A change on the label platform, with the orders that it concerns. */
export type BoxChange =
	/** The new state of a box. Items of unknown orders are left out. */
	| { readonly kind: "box"; readonly changeId: string; readonly box: PlatformBox }
	/** The platform rejected orders, which are put on hold for this reason (settlements, section 9). */
	| {
			readonly kind: "not_accepted";
			readonly changeId: string;
			readonly orderIds: readonly string[];
			readonly reason: "address_invalid" | "label_error";
			/** For the partner. */
			readonly detail: string;
	  };

/** `stand_still`: an order in the box is on hold. `not_ship`: the order was cancelled. */
export type BoxWish = "go" | "stand_still" | "not_ship";

/** The only connection between the label platform's work and the orders: three functions and no shared table. */
export interface OrdersSide {
	/** The box to push for an order; null: there is none any more. */
	readBox(orderId: string): Promise<Omit<LabelBox, "generation"> | null>;
	/** The desired state of the box in which an order waits. */
	wishOf(orderId: string): Promise<BoxWish>;
	/**
	 * Applies a change in its own transaction. A repeated change, such as after a crash, does nothing and returns
	 * `already`. A refusal is stored for the operator, and the change is offered again from time to time. Throws if the
	 * result is unknown.
	 */
	applyChange(change: BoxChange): Promise<"applied" | "already" | Refusal>;
}
