import { noStockNeeds, type StockNeeds } from "../stock/needs.ts";

export interface KeyRef {
	readonly keyId: string;
	readonly ref: string;
}

/** A hold by its token. `keyId`: the key that must own it, so that no other key's hold is read; null: any. */
export interface NamedToken {
	readonly token: string;
	readonly keyId: string | null;
}

/** The stock and holds that a batch must lock and read before it decides. */
export interface HoldNeeds extends StockNeeds {
	readonly tokens: NamedToken[];
	/** Tokens of holds to read with their lines. */
	readonly linesOf: Set<string>;
	/** Tokens of holds whose orders are needed, too, because a recall or a restore may change their units. */
	readonly ordersOf: Set<string>;
	/** Active holds by external_ref, read with their lines. */
	readonly activeRefs: KeyRef[];
	/**
	 * Whether the holds of `activeRefs` are read together with their parts; if not, the parts are read later, and only
	 * if such a hold exists.
	 */
	replaysExpected: boolean;
	/** Holds by the reference of their consume. */
	readonly consumeRefs: KeyRef[];
	/** References for which the batch must know whether any reserve has used them. */
	readonly reservedRefs: KeyRef[];
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
