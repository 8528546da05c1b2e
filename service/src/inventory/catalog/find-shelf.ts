import { SHARED_POOL_ID } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noSuch } from "./find-codes.ts";
import { selectFormulaId, selectPoolId } from "./find-shelf-sql.ts";

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
