import type { Refusal } from "../../ground/lib/refusal.ts";

/**
 * Who must agree before an order is cancelled or put into another's box: the label platform, when it has taken the
 * order already. It is asked before anything is changed here, and never inside a transaction.
 */
export interface LabelGate {
	/** Undefined: it agrees, or has never heard of the order. */
	askToCancel(orderId: string): Promise<Refusal<"shipstation_error"> | undefined>;
	/** The same for orders that are to travel in one box, the first being the one whose box it becomes. */
	askToCombine(orderIds: readonly string[]): Promise<Refusal<"shipstation_error"> | undefined>;
}

/** The queue in our own database has nobody to ask. */
export const openLabelGate: LabelGate = {
	askToCancel: async () => undefined,
	askToCombine: async () => undefined,
};
