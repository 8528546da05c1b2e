import type { Environment } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { isSandboxPool } from "../../inventory/catalog/sandbox-pools-sql.ts";
import type { ListedLot, OrderOfMove } from "../../inventory/stock/list-lots-sql.ts";
import type { OperatorRun } from "../../partners/runs/run.ts";
import { KEY_DAYS, LOT_DAYS, MOST_COUNTED, MOST_SHOWN } from "./limits.ts";

/*
 * Figures of the first page. No statement reads more rows than an index of unfinished objects has, and counts end at
 * MOST_COUNTED. The sandbox is left out.
 */

/** Maximum number of open orders, the oldest first, that are searched for orders on hold. */
const MOST_ORDERS = 20_000;
/** Maximum number of open orders, and of active holds, that are searched for holders of lots. */
const MOST_HOLDERS = 5_000;

const counted = MOST_COUNTED + 1;

export const selectOpenExceptions = (db: Query) =>
	db.query<{ kind: string; n: number; oldest: Date }>(
		`select kind, count(*)::int as n, min(created_at) as oldest
		   from (select kind, created_at from demand_exception where closed_at is null limit ${counted}) e
		  group by kind order by kind`,
	);

/** Boxes that wait for a label or for the carrier, by age in whole days: 0, 1, 2, and 3 for all older ones. */
export const selectWaitingBoxes = (db: Query) =>
	db.query<{ days: number; n: number }>(
		`select least(3, floor(extract(epoch from now() - created_at) / 86400))::int as days, count(*)::int as n
		   from (select s.created_at
		           from pool p cross join unnest(array['awaiting_shipment', 'label_created']) w(status)
		           cross join lateral (select created_at from shipment
		                                where pool_id = p.pool_id and status = w.status and status <> 'shipped' limit ${counted}) s
		          where not ${isSandboxPool("p.pool_id")} limit ${counted}) b
		  group by 1 order by 1`,
	);

export interface WaitingOrder extends OrderOfMove {
	readonly token: string;
	readonly reason: string;
	readonly detail: string | null;
	readonly heldAt: Date;
	readonly status: "held";
}

const HELD = `(select * from orders where is_open order by order_id limit ${MOST_ORDERS}) o where o.status = 'held' and o.environment = 'live'`;

export const selectHeldByReason = (db: Query) =>
	db.query<{ reason: string; n: number }>(
		`select reason, count(*)::int as n from (select o.hold_reason as reason from ${HELD} limit ${counted}) o
		  group by reason order by reason`,
	);

/** The orders that have been on hold for the longest time. */
export const selectHeldOrders = (db: Query) =>
	db.query<WaitingOrder>(
		`select o.order_id as "orderId", o.reservation_token as token, o.ref, o.external_order_id as "externalOrderId", p.name as partner, o.hold_reason as reason,
		        o.hold_detail as detail, o.held_at as "heldAt", o.status
		   from (select * from ${HELD} order by o.held_at limit ${MOST_SHOWN}) o join partner p using (partner_id)
		  order by o.held_at, o.order_id`,
	);

export type EndingLot = Pick<
	ListedLot,
	"fgId" | "formula" | "brandCode" | "batchNumber" | "inDate" | "available" | "held" | "allocated"
> & { readonly expiresOn: string };

const ENDING = `not depleted and not ${isSandboxPool("lot.pool_id")} and available + held + allocated > 0
	and expires_on < (now() at time zone $1)::date + ${LOT_DAYS}`;

export const countEndingLots = (db: Query, timeZone: string) =>
	db.query<{ n: number }>(`select count(*)::int as n from (select from lot where ${ENDING} limit ${counted}) l`, [
		timeZone,
	]);

/** The lots whose last day comes first. */
export const selectEndingLots = (db: Query, timeZone: string) =>
	db.query<EndingLot>(
		`select l.fg_id as "fgId", f.code as formula, p.brand_code as "brandCode", l.batch_number as "batchNumber",
		        l.expires_on as "expiresOn", l.expires_on >= (now() at time zone $1)::date as "inDate", l.available, l.held, l.allocated
		   from (select * from lot where ${ENDING} order by expires_on, fg_id limit ${MOST_SHOWN}) l
		   join formula f using (formula_id) join pool p using (pool_id)
		  order by l.expires_on, l.fg_id`,
		[timeZone],
	);

export interface HolderOfLot {
	readonly fgId: string;
	readonly partner: string;
	readonly holds: number;
	readonly orders: number;
	readonly units: number;
}

/** Partners with units of these lots in open orders (the oldest ones) or in active holds (those that end first). */
export const selectHoldersOfLots = (db: Query, fgIds: readonly string[]) =>
	db.query<HolderOfLot>(
		`with holder as (
		   (select reservation_token, partner_id, true as is_order from orders where is_open order by order_id limit ${MOST_HOLDERS})
		   union all
		   (select reservation_token, partner_id, false from hold where ended_at is null order by expires_at limit ${MOST_HOLDERS}))
		 select x.fg_id as "fgId", p.name as partner,
		        count(distinct n.reservation_token) filter (where not n.is_order)::int as holds,
		        count(distinct n.reservation_token) filter (where n.is_order)::int as orders, sum(x.units)::int as units
		   from holder n join hold_part x using (reservation_token) join partner p using (partner_id)
		  where x.fg_id = any($1::uuid[]) and x.own_state is null
		  group by x.fg_id, p.name order by x.fg_id, units desc, p.name`,
		[fgIds],
	);

export interface FailingEndpoint {
	readonly endpointId: string;
	readonly partner: string;
	readonly url: string;
	readonly isActive: boolean;
	readonly failingSince: Date | null;
	/** Number of all endpoints that fail. */
	readonly n: number;
}

/** Endpoints whose last attempt failed, or that were deactivated for their failures. */
export const selectFailingEndpoints = (db: Query) =>
	db.query<FailingEndpoint>(
		`select e.endpoint_id as "endpointId", p.name as partner, e.url, e.status = 'active' as "isActive",
		        e.failing_since as "failingSince", count(*) over ()::int as n
		   from webhook_endpoint e join partner p using (partner_id)
		  where e.deleted_at is null and e.environment = 'live'
		    and (e.inactive_reason in ('gone', 'failing') or (e.status = 'active' and e.failing_since is not null))
		  order by e.failing_since nulls first, e.endpoint_id limit ${MOST_SHOWN}`,
	);

export interface EndingKey {
	readonly pk: string;
	readonly name: string;
	readonly partner: string;
	readonly environment: Environment;
	readonly endsAt: Date;
	/** Number of all keys that end. */
	readonly n: number;
}

export const selectEndingKeys = (db: Query) =>
	db.query<EndingKey>(
		`select k.pk, k.name, p.name as partner, k.environment, least(k.expires_at, k.revoke_at) as "endsAt", count(*) over ()::int as n
		   from api_key k join partner p using (partner_id)
		  where least(k.expires_at, k.revoke_at) between now() and now() + interval '${KEY_DAYS} days'
		  order by "endsAt", k.pk limit ${MOST_SHOWN}`,
	);

export interface RunUnderWay extends Pick<OperatorRun, "runId" | "operation" | "about" | "done" | "of" | "startedAt"> {
	/** Number of all runs that are under way. */
	readonly n: number;
}

export const selectRunsUnderWay = (db: Query) =>
	db.query<RunUnderWay>(
		`select run_id as "runId", operation, about, done, total as of, started_at as "startedAt", count(*) over ()::int as n
		   from operator_run where status = 'running' order by started_at, run_id limit ${MOST_SHOWN}`,
	);

export const selectMoment = (db: Query) => db.query<{ now: Date }>("select now() as now");
