import type { CatalogChange } from "./change-catalog.ts";
import type { Brand } from "./entries.ts";
import { insertBrands, renameBrands, selectBrands } from "./put-sql.ts";

/** Creates brands, each with its own pool, and renames existing ones. Returns the pools of all brands by code. */
export async function putBrands(change: CatalogChange, brands: readonly Brand[]): Promise<ReadonlyMap<string, number>> {
	const { tx } = change;
	const names = new Map((await selectBrands(tx)).rows.map(({ code, name }) => [code, name]));
	const created = brands.filter(({ code }) => !names.has(code));
	const renamed = brands.filter(({ code, name }) => names.has(code) && names.get(code) !== name);
	if (created.length > 0) {
		await insertBrands(tx, created);
		change.next(); // pools have no number, but a new one still changes the catalogue
	}
	if (renamed.length > 0) await renameBrands(tx, renamed);
	return new Map((await selectBrands(tx)).rows.map(({ code, poolId }) => [code, poolId]));
}
