import type { Finished } from "./finished.ts";
import type { ReserveInput } from "./methods.ts";
import type { Consumed, Hold, Order, OrderDetails } from "./types.ts";

/** What `withHold` sells. */
export interface SaleInput extends ReserveInput {
	/**
	 * Your id of this cart, stored before the call and used for no other: 1 to 200 visible ASCII characters, because it
	 * is the hold's reference and the order's key.
	 */
	readonly externalRef: string;
}

/** The whole hold of a sale. Each method ends it, and gives what the callback of `withHold` must return. */
export interface WholeHold extends Hold {
	/**
	 * Places the order, which the manufacturer ships. If the hold is over, the same items are held again first; with
	 * `no_inventory` there is nothing left to place: refund.
	 * @param options `idempotencyKey`: the order's key instead of the `externalRef`
	 */
	place(order: OrderDetails, options?: { readonly idempotencyKey?: string }): Promise<Finished<Order>>;
	/**
	 * Takes the units out of stock, for a partner who ships them; holds again as `place` does.
	 * @param options `externalRef`: the reference of the consume instead of that of the sale
	 */
	consume(options?: { readonly externalRef?: string }): Promise<Finished<Consumed>>;
	/** Gives the units back because the customer was not charged. `withHold` then resolves to null. */
	release(): Promise<Finished<null>>;
}

export type SaleCallback<F extends Finished> = (hold: WholeHold) => Promise<F> | F;

/** What `withHold` resolves to: the order, what was consumed, or null after a release. */
export type ValueOf<F> = F extends Finished<infer Value> ? Value : never;
