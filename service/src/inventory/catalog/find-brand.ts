import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noSuch } from "./find-codes.ts";
import { selectPoolId } from "./find-shelf-sql.ts";

/** The brand to filter a list by; null: none. Refuses `not_found`, as an empty list would mislead. */
export async function findBrand(db: Query, code: string | undefined): Promise<string | null | Refusal<"not_found">> {
	if (code === undefined) return null;
	return (await selectPoolId(db, code)) === null ? refuse("not_found", await noSuch(db, "brands", code)) : code;
}
