import { SANDBOX_BRAND, SHARED_POOL_ID } from "../glossary.ts";
import type { Caller } from "../keys/key.ts";
import { type Refusal, refuse } from "../lib/refusal.ts";
import type { Catalog } from "./catalog.ts";

/** The pools one item draws from, the brand's own first. */
export interface Draw {
	/** The effective brand, named in replies. */
	readonly brandCode: string | null;
	readonly pools: readonly number[];
}

/** An unbound key named a brand that does not exist; what that means differs by operation. */
export interface UnknownBrand {
	readonly unknownBrand: string;
}

export const isUnknownBrand = (choice: object): choice is UnknownBrand => "unknownBrand" in choice;

/** The brand gate: which pools may this key draw from when it names this brand, or none? (decisions.md, section 2) */
export function drawOf(
	caller: Caller,
	named: string | undefined,
	catalog: Catalog,
): Draw | UnknownBrand | Refusal<"brand_mismatch" | "invalid_input"> {
	if (caller.poolId !== null) {
		if (named !== undefined && named !== caller.brandCode) return mismatch(named);
		return { brandCode: caller.brandCode, pools: withShared(caller, caller.poolId) };
	}
	if (named === undefined) {
		if (caller.sharedPool) return { brandCode: null, pools: [SHARED_POOL_ID] };
		return refuse(
			"invalid_input",
			"brand_code: this key is bound to no brand and has no access to the shared pool, so a brand must be named",
		);
	}
	if (named === SANDBOX_BRAND) return mismatch(named);
	const pool = catalog.poolsByBrand.get(named);
	if (!pool) return { unknownBrand: named };
	return { brandCode: named, pools: withShared(caller, pool.poolId) };
}

const withShared = (caller: Caller, poolId: number): readonly number[] =>
	caller.sharedPool ? [poolId, SHARED_POOL_ID] : [poolId];

const mismatch = (named: string): Refusal<"brand_mismatch"> =>
	refuse("brand_mismatch", `this key may not act for brand ${JSON.stringify(named)}; name its own brand, or none`);
