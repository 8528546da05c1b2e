import type { FormulaStatus, Sku, SkuKind } from "./sku.ts";

/** Maximum length of a code, slug, SKU, batch number or reference, in characters. */
export const MAX_CODE_LENGTH = 200;
/** Maximum length of the name of a brand, formula, product or SKU, in characters. */
export const MAX_NAME_LENGTH = 500;
/** Maximum units of one formula in one kit. */
export const MAX_PER_KIT = 10_000;
/** Maximum number of formulas in one kit. */
export const MAX_COMPONENTS = 100;

/* The catalogue as an operator enters it: the natural key of each entry and its settable properties. */

export interface Brand {
	readonly code: string;
	readonly name: string;
}
export interface FormulaEntry {
	readonly code: string;
	readonly name: string;
	readonly status: FormulaStatus;
}
export interface Product {
	readonly slug: string;
	readonly name: string;
}
export interface RecipePart {
	/** The formula's code. */
	readonly formula: string;
	readonly perKit: number;
}
export interface SkuEntry {
	readonly sku: string;
	readonly name: string;
	/** The slug of its product, or null. */
	readonly product: string | null;
	readonly kind: SkuKind;
	readonly vialSize: string | null;
	readonly components: readonly RecipePart[];
	/** A condition that the SKU simulates; only the sandbox's own SKUs have one, and no import file can set it. */
	readonly testBehaviour: Sku["testBehaviour"];
}

export const sameFormula = (a: FormulaEntry, b: FormulaEntry): boolean => a.name === b.name && a.status === b.status;

export const sameSku = (a: SkuEntry, b: SkuEntry): boolean =>
	a.name === b.name &&
	a.product === b.product &&
	a.kind === b.kind &&
	a.vialSize === b.vialSize &&
	a.testBehaviour === b.testBehaviour &&
	a.components.length === b.components.length &&
	a.components.every(
		({ formula, perKit }, i) => b.components[i]?.formula === formula && b.components[i].perKit === perKit,
	);

/** Why a SKU of this kind cannot have this number of components, or null. A kit with none has no recipe yet. */
export function wrongRecipe(kind: SkuKind, components: number): string | null {
	if (kind === "single" && components !== 1) return "must name exactly one formula for a single SKU";
	if (kind === "kit" && components === 1)
		return "must name two or more formulas for a kit (or none: without a recipe yet)";
	if (kind === "non_physical" && components !== 0) return "must be empty for a non_physical SKU";
	return null;
}
