import { type HoldNeeds, type KeyRef, noHoldNeeds } from "../holds/needs.ts";

/** The stock, holds and orders that a batch must lock and read before it decides. */
export interface OrderNeeds extends HoldNeeds {
	/** Orders, with the boxes they are in. */
	readonly orderIds: Set<string>;
	/** Orders by their Idempotency-Key. */
	readonly orderRefs: KeyRef[];
	/** Holds to place. If a hold is not the key's own, its partner is read for the refusal. */
	readonly placing: { readonly token: string }[];
}

export const noOrderNeeds = (): OrderNeeds => ({
	...noHoldNeeds(),
	orderIds: new Set(),
	orderRefs: [],
	placing: [],
});
