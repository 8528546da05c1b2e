import type { Static } from "typebox";
import type { Environment } from "../../glossary.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { type Catalog, visibleSku } from "../catalog/catalog.ts";
import { isSold } from "../catalog/sold-formulas.ts";
import type { PrepaidItem } from "./contract.ts";
import type { MirrorItem } from "./sql.ts";

type Pushed = Readonly<Static<typeof PrepaidItem>>;

/** Checks that each item has either a SKU or a formula and none repeats, without the catalogue. */
export function wrongItem(items: readonly Pushed[]): Refusal<"invalid_input"> | null {
	const seen = new Map<string, number>();
	for (const [index, { sku, formula_id }] of items.entries()) {
		if ((sku === undefined) === (formula_id === undefined)) {
			return refuse("invalid_input", `/items/${index}: expected one of sku and formula_id`);
		}
		const name = JSON.stringify([sku, formula_id?.toLowerCase()]);
		const before = seen.get(name);
		if (before !== undefined) return refuse("invalid_input", `/items/${index}: the same item as /items/${before}`);
		seen.set(name, index);
	}
	return null;
}

/** The items by formula, in order, or a refusal naming the first without a definite formula. Pure. */
export function mirrorItems(
	catalog: Catalog,
	environment: Environment,
	items: readonly Pushed[],
): MirrorItem[] | Refusal<"invalid_item"> {
	const kept: MirrorItem[] = [];
	for (const [index, { sku, formula_id, prepaid_units, used_units }] of items.entries()) {
		const formulaId =
			sku === undefined
				? formulaNamed(catalog, environment, index, formula_id ?? "")
				: formulaOf(catalog, environment, index, sku);
		if (isRefusal(formulaId)) return formulaId;
		kept.push({ formulaId, sku: sku ?? null, prepaidUnits: prepaid_units, usedUnits: used_units ?? null });
	}
	return kept;
}

function formulaNamed(
	catalog: Catalog,
	environment: Environment,
	index: number,
	given: string,
): string | Refusal<"invalid_item"> {
	const formulaId = given.toLowerCase();
	if (isSold(catalog, environment, formulaId)) return formulaId;
	return refuse("invalid_item", `/items/${index}/formula_id: there is no formula ${JSON.stringify(given)}`);
}

/** Units of a SKU are units of its formula, so the SKU must have exactly one. */
function formulaOf(
	catalog: Catalog,
	environment: Environment,
	index: number,
	name: string,
): string | Refusal<"invalid_item"> {
	const at = `/items/${index}/sku`;
	const sku = visibleSku(catalog, name, environment);
	if (!sku) return refuse("invalid_item", `${at}: there is no SKU ${JSON.stringify(name)}.`);
	const [component, second] = sku.components;
	if (component && !second) return component.formula.formulaId;
	const why = second ? "is a kit: name its formulas by formula_id" : "has no formula, so no units of it can be prepaid";
	return refuse("invalid_item", `${at}: ${JSON.stringify(name)} ${why}`);
}
