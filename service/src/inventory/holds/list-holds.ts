import type { Query } from "../../ground/pg/connect.ts";
import { type HoldFilter, type ListedHold, selectHolds } from "./list-holds-sql.ts";

export interface HoldList {
	readonly items: readonly ListedHold[];
	readonly hasMore: boolean;
}

/** At most `limit` holds, newest first. */
export async function listHolds(db: Query, filter: HoldFilter, limit: number): Promise<HoldList> {
	const { rows } = await selectHolds(db, filter, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
