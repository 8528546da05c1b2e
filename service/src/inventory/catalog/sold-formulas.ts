import type { Environment } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Catalog } from "./catalog.ts";
import { environmentOf, type Formula } from "./sku.ts";

/** A formula, and what is sold of it in one environment. */
export interface SoldFormula {
	readonly formula: Formula;
	/** The SKUs whose recipe has it, by name; at least one. */
	readonly skus: readonly string[];
}

/** What is sold in one environment. */
interface Sold {
	readonly byId: ReadonlyMap<string, SoldFormula>;
	readonly listed: readonly SoldFormula[];
}

/**
 * Formulas that a SKU of this environment is made of, in the order of catalogue changes; drafts are nobody's business
 * yet. A formula that comes in here, by its status or by a recipe, has then got a new number: who follows the numbers
 * misses none.
 */
export const soldFormulas = (catalog: Catalog, environment: Environment): readonly SoldFormula[] =>
	soldIn(catalog, environment).listed;

/** Is a SKU of this environment made of this formula, whatever its status? */
export const isSold = (catalog: Catalog, environment: Environment, formulaId: string): boolean =>
	soldIn(catalog, environment).byId.has(formulaId);

const known = new WeakMap<Catalog, Map<Environment, Sold>>();

/** Worked out once for each catalogue. */
function soldIn(catalog: Catalog, environment: Environment): Sold {
	const sold = known.get(catalog) ?? new Map<Environment, Sold>();
	known.set(catalog, sold);
	if (!sold.has(environment)) sold.set(environment, workOut(catalog, environment));
	return must(sold.get(environment), environment);
}

function workOut(catalog: Catalog, environment: Environment): Sold {
	const skusOf = new Map<string, string[]>();
	for (const { sku, components } of catalog.skus.values()) {
		if (environmentOf(sku) !== environment) continue;
		for (const { formula } of components) {
			const skus = skusOf.get(formula.formulaId);
			if (skus) skus.push(sku);
			else skusOf.set(formula.formulaId, [sku]);
		}
	}
	const byId = new Map<string, SoldFormula>();
	for (const [formulaId, skus] of skusOf) {
		byId.set(formulaId, { formula: must(catalog.formulas.get(formulaId), formulaId), skus: skus.sort() });
	}
	const listed = [...byId.values()]
		.filter(({ formula }) => formula.status !== "draft")
		.sort((a, b) => a.formula.version - b.formula.version);
	return { byId, listed };
}
