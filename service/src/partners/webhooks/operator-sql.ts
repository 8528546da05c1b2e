import type { Environment } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";
import type { Delivery, DeliveryStatus } from "./delivery.ts";
import type { Endpoint } from "./endpoint.ts";
import { COLUMNS } from "./endpoint-sql.ts";
import type { EventType } from "./event.ts";

export interface OperatorEndpoint extends Endpoint {
	readonly partner: string;
}

/** An endpoint in the operator's list, with the number of its pending deliveries. */
export interface ListedEndpoint extends OperatorEndpoint {
	readonly pending: number;
}

export interface EndpointFilters {
	/** The partner's name. */
	readonly partner?: string | undefined;
	readonly environment?: Environment | undefined;
	readonly status?: "active" | "inactive" | undefined;
	/** A part of the address or the description. */
	readonly q?: string | undefined;
}

const PARTNER = "(select name from partner p where p.partner_id = e.partner_id) as partner";

/** A page of endpoints, newest first; ids grow with time. `before`: an id. */
export const selectEndpointPage = (
	db: Query,
	{ partner, environment, status, q }: EndpointFilters,
	before: string | null,
	limit: number,
) =>
	db.query<ListedEndpoint>(
		`select ${COLUMNS}, ${PARTNER},
		        (select count(*) from webhook_delivery d where d.endpoint_id = e.endpoint_id and d.status = 'pending') as pending
		   from webhook_endpoint e
		  where deleted_at is null and ($1::uuid is null or endpoint_id < $1)
		    and ($2::text is null or partner_id = (select p.partner_id from partner p where p.name = $2))
		    and ($3::text is null or environment = $3) and ($4::text is null or status = $4)
		    and ($5::text is null or url ilike $5 or description ilike $5)
		  order by endpoint_id desc limit $6`,
		[before, partner ?? null, environment ?? null, status ?? null, q === undefined ? null : contains(q), limit],
	);

/** One endpoint; null: there is none with this id. */
export const selectOperatorEndpoint = async (db: Query, endpointId: string): Promise<OperatorEndpoint | null> =>
	(
		await db.query<OperatorEndpoint>(
			`select ${COLUMNS}, ${PARTNER} from webhook_endpoint e where endpoint_id = $1 and deleted_at is null`,
			[endpointId],
		)
	).rows[0] ?? null;

export interface ListedDelivery extends Omit<Delivery, "nextAttemptAt"> {
	readonly endpointId: string;
	readonly partner: string;
	readonly environment: Environment;
	/** The number of its event. */
	readonly seq: number;
	readonly nextAttemptAt: Date | null;
	readonly createdAt: Date;
}

export interface DeliveryFilters {
	readonly endpointId: string | null;
	readonly eventId: string | null;
	readonly status: DeliveryStatus | null;
}

/** The place of a delivery in the list: the number of its event, then its endpoint. */
export type DeliveryPlace = Pick<ListedDelivery, "seq" | "endpointId">;

/**
 * A page of deliveries, the newest event first. Null matches every one. `before`: the last one of the previous page.
 */
export const selectDeliveryPage = (
	db: Query,
	{ endpointId, eventId, status }: DeliveryFilters,
	before: DeliveryPlace | null,
	limit: number,
) =>
	db.query<ListedDelivery>(
		`select d.delivery_id as "deliveryId", d.endpoint_id as "endpointId", e.environment, ${PARTNER}, d.seq, d.event_id as "eventId",
		        (select v.type from event v where v.seq = d.seq) as type, d.status, d.attempts, d.next_attempt_at as "nextAttemptAt",
		        d.created_at as "createdAt"
		   from webhook_delivery d join webhook_endpoint e using (endpoint_id)
		  where ($1::uuid is null or d.endpoint_id = $1) and ($2::text is null or d.status = $2)
		    and ($3::text is null or d.seq = (select v.seq from event v where v.event_id = $3))
		    and ($4::bigint is null or (d.seq, d.endpoint_id) < ($4, $5::uuid))
		  order by d.seq desc, d.endpoint_id desc limit $6`,
		[endpointId, status, eventId, before?.seq ?? null, before?.endpointId ?? null, limit],
	);

export interface ListedEvent {
	readonly seq: number;
	readonly eventId: string;
	readonly type: EventType;
	readonly partner: string;
	readonly environment: Environment;
	readonly orderId: string | null;
	readonly createdAt: Date;
	/** The exact text that is signed and sent; if the event was pruned, the part of it that is kept. */
	readonly body: string;
}

/** A page of events, newest first. `orderId` null: of all orders. `before`: the number of an event. */
export const selectEventPage = (db: Query, orderId: string | null, before: number | null, limit: number) =>
	db.query<ListedEvent>(
		`select seq, event_id as "eventId", type, ${PARTNER}, environment, order_id as "orderId", created_at as "createdAt", body
		   from event e
		  where ($1::uuid is null or order_id = $1) and ($2::bigint is null or seq < $2) order by seq desc limit $3`,
		[orderId, before, limit],
	);
