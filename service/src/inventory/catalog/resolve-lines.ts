import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type BrandChoice, drawsOf } from "./brand.ts";
import { type Catalog, oncePerCatalog, visibleSku } from "./catalog.ts";
import type { Sku } from "./sku.ts";

/** A line as it is asked for. */
export interface AskedLine {
	readonly sku: string;
	readonly brandCode: string | undefined;
}

/** What a line means in one catalogue. */
export interface ResolvedLine {
	/** Undefined: the key knows no such SKU. */
	readonly sku: Sku | undefined;
	readonly draw: BrandChoice;
}

export type ResolvedLines = readonly ResolvedLine[] | Refusal<"brand_mismatch" | "invalid_input">;

/**
 * Which SKU and which pools each line of a request means; or the refusal of all of them, by the brand gate
 * (settlements, section 2). Check and reserve read their lines here and nowhere else, so both count the same pools.
 * Pure.
 */
export function resolveLines(catalog: Catalog, caller: Caller, lines: readonly AskedLine[]): ResolvedLines {
	const named = lines.map(({ brandCode }) => brandCode);
	const draws = drawsOf(caller, named, catalog);
	if (isRefusal(draws)) return draws;
	return lines.map(({ sku }, index) => ({
		sku: visibleSku(catalog, sku, caller.environment),
		draw: must(draws[index], "draw of a line"),
	}));
}

/** Resolves the same lines again and again, once for each catalogue. */
export const resolvedBy = (caller: Caller, lines: readonly AskedLine[]): ((catalog: Catalog) => ResolvedLines) =>
	oncePerCatalog((catalog) => resolveLines(catalog, caller, lines));
