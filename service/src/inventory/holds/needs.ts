import { noStockNeeds, type StockNeeds } from "../stock/needs.ts";

export interface KeyRef {
	readonly keyId: string;
	readonly ref: string;
}

/**
 * A hold named by its token. `keyId`: whose it must be, so that another key's hold is not even looked at; null:
 * anybody's.
 */
export interface NamedToken {
	readonly token: string;
	readonly keyId: string | null;
}

/** What a batch must lock and read of stock and holds before it can be decided. */
export interface HoldNeeds extends StockNeeds {
	readonly tokens: NamedToken[];
	/** Holds of these tokens come with their lines. */
	readonly linesOf: Set<string>;
	/**
	 * The orders that holds of these tokens became, for their units may change: a recall takes some, a restore gives
	 * some back.
	 */
	readonly ordersOf: Set<string>;
	/** Active holds by external_ref, which come with their lines. */
	readonly activeRefs: KeyRef[];
	/** Do they come with their parts too? Else those are read when there is such a hold. */
	replaysExpected: boolean;
	/** Holds by the reference they were consumed under. */
	readonly consumeRefs: KeyRef[];
	/** Whether anything was reserved under these references. */
	readonly reservedRefs: KeyRef[];
	/** Keys with a cap on held units. */
	readonly cappedKeys: Set<string>;
}

export const noHoldNeeds = (): HoldNeeds => ({
	...noStockNeeds(),
	tokens: [],
	linesOf: new Set(),
	ordersOf: new Set(),
	activeRefs: [],
	replaysExpected: true,
	consumeRefs: [],
	reservedRefs: [],
	cappedKeys: new Set(),
});
