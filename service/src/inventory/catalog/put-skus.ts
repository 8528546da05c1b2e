import type { CatalogChange } from "./change-catalog.ts";
import { type SkuEntry, sameSku } from "./entries.ts";
import { deleteRecipes, insertRecipes, type RecipeColumns, selectSkus, upsertSkus } from "./put-sql.ts";

/** Creates SKUs or updates them, replacing their recipes. Their formulas and products must exist. */
export async function putSkus(change: CatalogChange, skus: readonly SkuEntry[]): Promise<void> {
	const { tx } = change;
	const { rows } = await selectSkus(
		tx,
		skus.map(({ sku }) => sku),
	);
	const known = new Map(rows.map((row) => [row.sku, row]));
	const touched = skus.filter((entry) => {
		const was = known.get(entry.sku);
		return was === undefined || !sameSku(entry, was);
	});
	if (touched.length === 0) return;
	await upsertSkus(tx, {
		skus: touched.map(({ sku }) => sku),
		names: touched.map(({ name }) => name),
		slugs: touched.map(({ product }) => product),
		kinds: touched.map(({ kind }) => kind),
		vialSizes: touched.map(({ vialSize }) => vialSize),
		testBehaviours: touched.map(({ testBehaviour }) => testBehaviour),
		versions: touched.map(() => change.next()),
	});
	const changed = touched.map(({ sku }) => sku).filter((sku) => known.has(sku));
	if (changed.length > 0) await deleteRecipes(tx, changed);
	await insertRecipes(tx, recipeColumns(touched));
	for (const entry of touched) {
		const formulas = formulasOf(entry);
		const before = formulasOf(known.get(entry.sku));
		if (JSON.stringify(formulas) !== JSON.stringify(before)) change.noteRecipes([...formulas, ...before]);
	}
}

const formulasOf = (sku: SkuEntry | undefined): string[] => sku?.components.map(({ formula }) => formula) ?? [];

function recipeColumns(skus: readonly SkuEntry[]): RecipeColumns {
	const columns: RecipeColumns = { skus: [], positions: [], formulas: [], perKits: [] };
	for (const { sku, components } of skus) {
		for (const [position, { formula, perKit }] of components.entries()) {
			columns.skus.push(sku);
			columns.positions.push(position);
			columns.formulas.push(formula);
			columns.perKits.push(perKit);
		}
	}
	return columns;
}
