import { wrongRecipe } from "./entries.ts";
import { SANDBOX_FORMULAS, SANDBOX_SKUS } from "./sandbox-names.ts";
import type { SkuKind } from "./sku.ts";

/* Rules for a row of the catalogue that its schema cannot express; an import and the operator's API share them. */

/** A mistake in a row. */
export interface Wrong {
	/** JSON pointer below the row; empty for the row itself. */
	readonly pointer: string;
	readonly message: string;
}

export const wrongFormulaCode = (code: string): Wrong[] => ownBySandbox("/code", SANDBOX_FORMULAS, code);

export const wrongSkuCode = (sku: string): Wrong[] => ownBySandbox("/sku", SANDBOX_SKUS, sku);

const ownBySandbox = (pointer: string, names: readonly string[], name: string): Wrong[] =>
	names.includes(name) ? [{ pointer, message: "is reserved for the sandbox: choose another name" }] : [];

/** The problem if a SKU of this kind cannot have this number of components; empty if it can. */
export function wrongComponents(kind: SkuKind, components: number): Wrong[] {
	const message = wrongRecipe(kind, components);
	return message === null ? [] : [{ pointer: "/components", message }];
}

export function formulasNamedTwice(components: readonly { readonly formula: string }[]): Wrong[] {
	const seen = new Set<string>();
	return components.flatMap(({ formula }, i) => {
		const isSecond = seen.has(formula);
		seen.add(formula);
		const message = `names formula ${JSON.stringify(formula)} a second time: add the units up in one component`;
		return isSecond ? [{ pointer: `/components/${i}/formula`, message }] : [];
	});
}
