import type { CatalogChange } from "./change-catalog.ts";
import { type SkuEntry, sameSku } from "./entries.ts";
import { deleteRecipes, insertRecipes, selectSkus, upsertSkus } from "./put-sql.ts";

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
	await upsertSkus(
		tx,
		touched.map((entry) => ({ ...entry, version: change.next() })),
	);
	const changed = touched.map(({ sku }) => sku).filter((sku) => known.has(sku));
	if (changed.length > 0) await deleteRecipes(tx, changed);
	await insertRecipes(tx, touched);
	for (const entry of touched) {
		const formulas = formulasOf(entry);
		const before = formulasOf(known.get(entry.sku));
		if (JSON.stringify(formulas) !== JSON.stringify(before)) change.noteRecipes([...formulas, ...before]);
	}
}

const formulasOf = (sku: SkuEntry | undefined): string[] => sku?.components.map(({ formula }) => formula) ?? [];
