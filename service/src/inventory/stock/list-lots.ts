import type { Query } from "../../ground/pg/connect.ts";
import { type ListedLot, type LotFilter, selectLots } from "./list-lots-sql.ts";

export interface LotList {
	readonly items: readonly ListedLot[];
	readonly hasMore: boolean;
}

/** At most `limit` lots by formula, pool and expiry. `timeZone` decides which are in date. */
export async function listLots(db: Query, timeZone: string, filter: LotFilter, limit: number): Promise<LotList> {
	const { rows } = await selectLots(db, timeZone, filter, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
