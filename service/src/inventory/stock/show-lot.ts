import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type ListedLot, selectLot } from "./list-lots-sql.ts";

/** One lot with its units by bucket, even if empty. `timeZone` decides whether it is in date. Refuses `not_found`. */
export async function showLot(db: Query, timeZone: string, fgId: string): Promise<ListedLot | Refusal<"not_found">> {
	const { rows } = await selectLot(db, timeZone, fgId);
	return rows[0] ?? refuse("not_found", `There is no lot ${fgId}.`);
}
