import type { Environment } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Catalog } from "./catalog.ts";
import { environmentOf, type Formula } from "./sku.ts";

/** A formula and the SKUs of one environment that are made of it. */
export interface SoldFormula {
	readonly formula: Formula;
	/** Sorted names of the SKUs whose recipe contains the formula; at least one. */
	readonly skus: readonly string[];
}

interface Sold {
	readonly byId: ReadonlyMap<string, SoldFormula>;
	readonly listed: readonly SoldFormula[];
}

/**
 * Formulas used by a SKU of this environment, in the order of catalogue changes; drafts are not listed. A formula that
 * enters the list, by its status or by a recipe, gets a new number, so a reader that follows the numbers misses none.
 */
export const soldFormulas = (catalog: Catalog, environment: Environment): readonly SoldFormula[] =>
	soldIn(catalog, environment).listed;

/** Whether a SKU of this environment is made of this formula, whatever its status. */
export const isSold = (catalog: Catalog, environment: Environment, formulaId: string): boolean =>
	soldIn(catalog, environment).byId.has(formulaId);

const known = new WeakMap<Catalog, Map<Environment, Sold>>();

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
