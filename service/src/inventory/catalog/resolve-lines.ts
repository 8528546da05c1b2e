import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type BrandChoice, drawsOf } from "./brand.ts";
import { type Catalog, oncePerCatalog, visibleSku } from "./catalog.ts";
import type { Sku } from "./sku.ts";

export interface AskedLine {
	readonly sku: string;
	readonly brandCode: string | undefined;
}

export interface ResolvedLine {
	/** Undefined: the key cannot see such a SKU. */
	readonly sku: Sku | undefined;
	readonly draw: BrandChoice;
}

export type ResolvedLines = readonly ResolvedLine[] | Refusal<"brand_mismatch" | "invalid_input">;

/**
 * Finds the SKU and the pools of each line of a request, or refuses them all at the brand gate (settlements, section
 * 2). Both check and reserve resolve their lines here, so they count the same pools. Pure.
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

/** Resolves the same lines repeatedly, computing the result once per catalogue. */
export const resolvedBy = (caller: Caller, lines: readonly AskedLine[]): ((catalog: Catalog) => ResolvedLines) =>
	oncePerCatalog((catalog) => resolveLines(catalog, caller, lines));
