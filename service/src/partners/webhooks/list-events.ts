import type { Query } from "../../ground/pg/connect.ts";
import { type ListedEvent, selectEvents } from "./sql.ts";

export interface EventList {
	readonly items: readonly ListedEvent[];
	readonly hasMore: boolean;
}

/** At most `limit` events, newest first. `orderId` null: of all orders. */
export async function listEvents(db: Query, orderId: string | null, limit: number): Promise<EventList> {
	const { rows } = await selectEvents(db, orderId, limit + 1);
	return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
