import { type HoldNeeds, type KeyRef, noHoldNeeds } from "../holds/needs.ts";

/** What a batch must lock and read of stock, holds and orders before it can be decided. */
export interface OrderNeeds extends HoldNeeds {
	/** These orders, and the boxes they are in. */
	readonly orderIds: Set<string>;
	/** Orders by the Idempotency-Key they were placed under. */
	readonly orderRefs: KeyRef[];
	/** Holds that are to become orders: should one not be the key's own, it is asked whose it is. */
	readonly placing: { readonly token: string }[];
}

export const noOrderNeeds = (): OrderNeeds => ({
	...noHoldNeeds(),
	orderIds: new Set(),
	orderRefs: [],
	placing: [],
});
