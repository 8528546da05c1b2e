import { SANDBOX_BRAND, SHARED_POOL_ID } from "../../glossary.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Catalog } from "./catalog.ts";

/** The pools a line draws from, the brand's own first. */
export interface Draw {
	/** The effective brand, named in replies. */
	readonly brandCode: string | null;
	readonly pools: readonly number[];
}

/** An unbound key named a brand that does not exist; each operation decides how to answer. */
export interface UnknownBrand {
	readonly unknownBrand: string;
}

export type BrandChoice = Draw | UnknownBrand;

export const isUnknownBrand = (choice: object): choice is UnknownBrand => "unknownBrand" in choice;

export const refuseUnknownBrand = ({ unknownBrand }: UnknownBrand): Refusal<"unknown_brand_code"> =>
	refuse("unknown_brand_code", `There is no brand ${JSON.stringify(unknownBrand)}.`);

/** The brand gate: the pools a key may draw from when it names this brand or no brand (settlements, section 2). */
export function drawOf(
	caller: Caller,
	named: string | undefined,
	catalog: Catalog,
): BrandChoice | Refusal<"brand_mismatch"> | Refusal<"invalid_input"> {
	if (caller.poolId !== null) {
		if (named !== undefined && named !== caller.brandCode) return mismatch(named);
		return { brandCode: caller.brandCode, pools: withShared(caller, caller.poolId) };
	}
	if (named === undefined) {
		if (caller.sharedPool) return { brandCode: null, pools: [SHARED_POOL_ID] };
		return refuse(
			"invalid_input",
			"This key is bound to no brand and has no access to the shared pool: name a brand in brand_code.",
		);
	}
	if (named === SANDBOX_BRAND) return mismatch(named);
	const pool = catalog.poolsByBrand.get(named);
	if (!pool) return { unknownBrand: named };
	return { brandCode: named, pools: withShared(caller, pool.poolId) };
}

/** The draw for one brand's own stock, its pool first; an unbound key must name one (settlements, section 7). */
export function drawOfBrand(
	caller: Caller,
	named: string | undefined,
	catalog: Catalog,
): Draw | Refusal<"brand_mismatch" | "invalid_input" | "unknown_brand_code"> {
	if (caller.poolId === null && named === undefined) {
		return refuse("invalid_input", "/brand_code: required; this key is bound to no brand, so it must name one.");
	}
	const draw = drawOf(caller, named, catalog);
	return isUnknownBrand(draw) ? refuseUnknownBrand(draw) : draw;
}

/** The draw of each line, or one refusal for all: `brand_mismatch` takes precedence over `invalid_input`. */
export function drawsOf(
	caller: Caller,
	named: readonly (string | undefined)[],
	catalog: Catalog,
): BrandChoice[] | Refusal<"brand_mismatch" | "invalid_input"> {
	const choices: BrandChoice[] = [];
	let refused: Refusal<"invalid_input"> | undefined;
	let last: { readonly brandCode: string | undefined; readonly choice: ReturnType<typeof drawOf> } | undefined;
	for (const brandCode of named) {
		if (last?.brandCode !== brandCode || last === undefined)
			last = { brandCode, choice: drawOf(caller, brandCode, catalog) };
		const { choice } = last; // lines of one request nearly always name the same brand
		if (!isRefusal(choice)) choices.push(choice);
		else if (choice.refusal === "brand_mismatch") return choice;
		else refused ??= choice as Refusal<"invalid_input">;
	}
	return refused ?? choices;
}

const withShared = (caller: Caller, poolId: number): readonly number[] =>
	caller.sharedPool ? [poolId, SHARED_POOL_ID] : [poolId];

const mismatch = (named: string): Refusal<"brand_mismatch"> =>
	refuse("brand_mismatch", `This key may not act for brand ${JSON.stringify(named)}: name its own brand, or none.`);
