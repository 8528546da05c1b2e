import { plainArray, textArray } from "../pg/array.ts";
import type { Query } from "../pg/connect.ts";
import type { NumberedWrite } from "../pg/epoch.ts";
import { prepared } from "../pg/query.ts";
import type { BookWithEvents } from "./emit.ts";

// takes its numbers itself (docs/decisions/0029)
const insertEvents = prepared(
	"insert_events",
	`with taken as materialized (select take_numbers('event_epoch', cardinality($2::text[])) - cardinality($2::text[]) as before)
	 insert into event (event_id, seq, partner_id, environment, type, order_id, created_at, body)
	 select event_id, before + n, partner_id, environment, type, order_id, $1::timestamptz, body
	   from taken cross join unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[]) with ordinality
	     e(event_id, partner_id, environment, type, order_id, body, n)`,
);

/** Writes the events of a book, with the numbers of their list. Null: there are none. */
export function numberEvents({ events, now }: BookWithEvents): NumberedWrite | null {
	if (events.length === 0) return null;
	const columns = [
		...(["eventId", "partnerId", "environment", "type", "orderId"] as const).map((name) =>
			plainArray(events.map((event) => event[name])),
		),
		textArray(events.map(({ body }) => body)),
	];
	return (tx) => insertEvents(tx, [new Date(now).toISOString(), ...columns]);
}

/** An event as the operator sees it. */
export interface ListedEvent {
	readonly eventId: string;
	readonly type: string;
	readonly orderId: string | null;
	readonly createdAt: Date;
	/** The exact text that is signed and sent. */
	readonly body: string;
}

/** The newest events first; of one order, or of all. */
export const selectEvents = (db: Query, orderId: string | null, limit: number) =>
	db.query<ListedEvent>(
		`select event_id as "eventId", type, order_id as "orderId", created_at as "createdAt", body from event
		  where $1::uuid is null or order_id = $1 order by seq desc limit $2`,
		[orderId, limit],
	);
