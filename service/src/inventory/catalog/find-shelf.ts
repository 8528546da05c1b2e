import { SHARED_POOL_ID } from "../../glossary.ts";
import { adviceOn } from "../../ground/lib/nearest.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectCodes, selectFormulaId, selectPoolId } from "./list-catalog-sql.ts";

export interface ShelfIds {
	readonly formulaId: string;
	readonly poolId: number;
}

/** The shelf of a formula code and a brand code (null: shared). Refuses `not_found`, naming the unknown code. */
export async function findShelf(
	db: Query,
	formula: string,
	brandCode: string | null,
): Promise<ShelfIds | Refusal<"not_found">> {
	const formulaId = await selectFormulaId(db, formula);
	if (formulaId === null) return refuse("not_found", await noSuch(db, "formulas", formula));
	const poolId = brandCode === null ? SHARED_POOL_ID : await selectPoolId(db, brandCode);
	if (poolId === null) return refuse("not_found", await noSuch(db, "brands", brandCode ?? ""));
	return { formulaId, poolId };
}

/** The brand to filter a list by; null: none. Refuses an unknown code (`not_found`): an empty list would mislead. */
export async function findBrand(db: Query, code: string | undefined): Promise<string | null | Refusal<"not_found">> {
	if (code === undefined) return null;
	return (await selectPoolId(db, code)) === null ? refuse("not_found", await noSuch(db, "brands", code)) : code;
}

/** The name of the shared stock where a brand is named. */
export const SHARED = "shared";

/** The same for a list of lots or of their moves, which may also be those of the shared stock. */
export const findPool = async (db: Query, code: string | undefined): Promise<string | null | Refusal<"not_found">> =>
	code === SHARED ? SHARED : await findBrand(db, code);

/** The same for a formula. */
export async function findFormula(db: Query, code: string | undefined): Promise<string | null | Refusal<"not_found">> {
	if (code === undefined) return null;
	return (await selectFormulaId(db, code)) === null ? refuse("not_found", await noSuch(db, "formulas", code)) : code;
}

export const ONE_OF = { brands: "brand", formulas: "formula", products: "product", skus: "SKU" } as const;
export type CodedKind = keyof typeof ONE_OF;

/** All codes of a kind, for suggesting one similar to a code that does not exist. */
export const findCodes = (db: Query, kind: CodedKind): Promise<string[]> => selectCodes(db, kind);

export const noSuch = async (db: Query, kind: CodedKind, code: string): Promise<string> =>
	`There is no ${ONE_OF[kind]} ${JSON.stringify(code)}: ${adviceOn(code, await findCodes(db, kind), "import it first.")}`;
