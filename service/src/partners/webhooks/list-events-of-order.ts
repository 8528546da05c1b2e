import type { Query } from "../../ground/pg/connect.ts";
import { type ListedEvent, selectEventPage } from "./operator-sql.ts";

/** Maximum number of events of one order that are listed. */
const MOST_EVENTS = 200;

/** The events of an order, newest first, whether or not an endpoint was sent them. */
export const listEventsOfOrder = async (db: Query, orderId: string): Promise<readonly ListedEvent[]> =>
	(await selectEventPage(db, orderId, null, MOST_EVENTS)).rows;
