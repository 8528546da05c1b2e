import { type Environment, SANDBOX_SKU_PREFIX, SANDBOX_SLUG_PREFIX } from "../../glossary.ts";

export type SkuKind = "single" | "kit" | "non_physical";
export type FormulaStatus = "draft" | "active" | "archived";

/** An article that is physically made. Counted in units. */
export interface Formula {
	readonly formulaId: string;
	readonly code: string;
	readonly name: string;
	readonly status: FormulaStatus;
	/** Its place in the order of catalogue changes. It also changes when a SKU starts or stops using the formula. */
	readonly version: number;
}

export interface Component {
	readonly formula: Formula;
	readonly perKit: number;
}

/** An article that is sold. Counted in kits. */
export interface Sku {
	readonly sku: string;
	readonly name: string;
	/** The product page it belongs to, or null. */
	readonly slug: string | null;
	readonly kind: SkuKind;
	/** A condition that a sandbox SKU simulates, or null. */
	readonly testBehaviour: "retry" | "held" | null;
	readonly components: readonly Component[];
	/** RFC 3339. */
	readonly updatedAt: string;
	/** Its place in the order of catalogue changes. */
	readonly version: number;
}

/** A SKU's environment follows from its name (settlements, section 2). */
export const environmentOf = (sku: string): Environment => (sku.startsWith(SANDBOX_SKU_PREFIX) ? "sandbox" : "live");

/** The environment of a product and its certificates follows from the slug. */
export const environmentOfSlug = (slug: string): Environment =>
	slug.startsWith(SANDBOX_SLUG_PREFIX) ? "sandbox" : "live";

export const tracksInventory = (sku: Sku): boolean => sku.kind !== "non_physical";

/** Why a SKU that tracks inventory cannot be sold now, or null if it can (settlements, section 4). */
export function whyUnsellable(sku: Sku): string | null {
	if (sku.components.length === 0) return "has no recipe yet";
	const part = sku.components.find(({ formula }) => formula.status !== "active");
	return part ? `has a formula that is ${part.formula.status}` : null;
}

/** Whether GET /products lists the SKU: it is sellable, or it does not track inventory. */
export const isListed = (sku: Sku): boolean => !tracksInventory(sku) || whyUnsellable(sku) === null;

/** Whether check and inventory list the components: for kits and for SKUs of several units (settlements, section 4). */
export const showsComponents = (sku: Sku): boolean => sku.kind === "kit" || (sku.components[0]?.perKit ?? 1) > 1;
