import type { Query } from "../../ground/pg/connect.ts";
import { type DemandFilter, type ListedDemand, selectDemand } from "./list-demand-sql.ts";

export interface DemandList {
	readonly items: readonly ListedDemand[];
	readonly hasMore: boolean;
}

/** At most `limit` entries of demand from any source, oldest first. Safety buffers are not included. */
export async function listDemand(db: Query, filter: DemandFilter, limit: number): Promise<DemandList> {
	const { rows } = await selectDemand(db, filter, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
