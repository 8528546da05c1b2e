import type { Query } from "../../ground/pg/connect.ts";
import { type QueuedBox, type QueueFilter, selectQueue } from "./box-sql.ts";

export interface BoxQueue {
	readonly items: readonly QueuedBox[];
	readonly hasMore: boolean;
}

/** At most `limit` waiting boxes: overnight before expedited before standard, then oldest first. */
export async function listQueue(db: Query, filter: QueueFilter, limit: number): Promise<BoxQueue> {
	const boxes = await selectQueue(db, filter, limit + 1);
	return { items: boxes.slice(0, limit), hasMore: boxes.length > limit };
}
