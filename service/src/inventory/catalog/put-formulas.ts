import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { CatalogChange } from "./change-catalog.ts";
import { type FormulaEntry, sameFormula } from "./entries.ts";
import { selectFormulas, upsertFormulas } from "./put-sql.ts";

/** Creates formulas or updates their name and status. Returns their ids by code. */
export async function putFormulas(
	change: CatalogChange,
	formulas: readonly FormulaEntry[],
): Promise<ReadonlyMap<string, string>> {
	const { tx } = change;
	const codes = formulas.map(({ code }) => code);
	const known = new Map((await selectFormulas(tx, codes)).rows.map((row) => [row.code, row]));
	const ids = new Map(codes.map((code) => [code, known.get(code)?.formulaId ?? newId()]));
	const idOf = (code: string): string => must(ids.get(code), code);
	const touched = formulas.filter((entry) => {
		const was = known.get(entry.code);
		return was === undefined || !sameFormula(entry, was);
	});
	if (touched.length === 0) return ids;
	await upsertFormulas(
		tx,
		touched.map((entry) => ({ ...entry, formulaId: idOf(entry.code), version: change.next() })),
	);
	change.noteFormulas(touched.filter(({ code }) => known.has(code)).map(({ code }) => idOf(code)));
	return ids;
}
