import { type HoldNeeds, type KeyRef, noHoldNeeds } from "../holds/needs.ts";

/** A hold as a place names it. */
export interface TokenOfPartner {
	readonly token: string;
	readonly keyId: string;
	readonly partnerId: string;
}

/** What a batch must lock and read of stock, holds and orders before it can be decided. */
export interface OrderNeeds extends HoldNeeds {
	/** These orders, and the boxes they are in. */
	readonly orderIds: Set<string>;
	/** Orders by the Idempotency-Key they were placed under. */
	readonly orderRefs: KeyRef[];
	/** Holds that are to become orders: should one not be the key's own, it is asked whether another key of the partner has it. */
	readonly placing: TokenOfPartner[];
}

export const noOrderNeeds = (): OrderNeeds => ({
	...noHoldNeeds(),
	orderIds: new Set(),
	orderRefs: [],
	placing: [],
});
