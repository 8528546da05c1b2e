import type { Refusal } from "../../ground/lib/refusal.ts";

/**
 * The label platform's consent, needed before an order that it has may be cancelled or combined. It is requested before
 * anything changes in Holdfast, and never inside a transaction.
 */
export interface LabelGate {
	/** Undefined: it agrees, or does not have the order. */
	askToCancel(orderId: string): Promise<Refusal<"shipstation_error"> | undefined>;
	/** The same for orders to be combined into the box of the first. */
	askToCombine(orderIds: readonly string[]): Promise<Refusal<"shipstation_error"> | undefined>;
}

/** The built-in queue needs no consent. */
export const openLabelGate: LabelGate = {
	askToCancel: async () => undefined,
	askToCombine: async () => undefined,
};
