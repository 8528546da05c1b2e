import { BUCKETS, type Bucket } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";
import { SHARED } from "../catalog/find-shelf.ts";

/** A lot with its units by bucket, for the operator. */
export interface ListedLot extends Readonly<Record<Bucket, number>> {
	readonly fgId: string;
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	/** The name of the partner in whose sandbox it is; null: it is in nobody's. */
	readonly sandboxOf: string | null;
	readonly batchNumber: string;
	/** YYYY-MM-DD; null: never expires. */
	readonly expiresOn: string | null;
	/** YYYY-MM-DD. */
	readonly receivedOn: string;
	readonly inDate: boolean;
	/** Its place in the warehouse; null: unknown. */
	readonly location: string | null;
	readonly received: number;
	readonly corrected: number;
	readonly recalledAt: Date | null;
}

const LOT = `l.fg_id as "fgId", f.code as formula, p.brand_code as "brandCode", r.name as "sandboxOf",
	l.batch_number as "batchNumber", l.expires_on as "expiresOn", l.received_on as "receivedOn",
	coalesce(l.expires_on >= (now() at time zone $1)::date, true) as "inDate", l.location, l.received, l.corrected, l.available,
	l.held, l.allocated, l.consumed, l.shipped, l.quarantined, l.destroyed, l.recalled_at as "recalledAt"`;
const LOT_JOINS = `lot l join formula f using (formula_id) join pool p using (pool_id)
	left join partner r on r.partner_id = p.partner_id`;

export interface LotFilter {
	/** A formula's code; null: every formula. */
	readonly formula?: string | null | undefined;
	/** A brand's code, or `shared`; null: every pool. */
	readonly brand?: string | null | undefined;
	/** Null: every number. */
	readonly batchNumber?: string | null | undefined;
	/** Only lots with units in this bucket; null: any. */
	readonly bucket?: Bucket | null | undefined;
	/** Only lots whose last day of use is before this day, YYYY-MM-DD; null: any. */
	readonly expiresBefore?: string | null | undefined;
	/** True: only lots without physical units; false: only the others; null: both. */
	readonly depleted?: boolean | null | undefined;
	/** A part of the batch number, the location, or the code or name of the formula; null: any. */
	readonly q?: string | null | undefined;
	/** Only lots after this one in the order of the list; null: from the beginning. */
	readonly after?: string | null | undefined;
}

/** The place of a lot in the list. The code of its formula comes first, because it is indexed. */
const PLACE = `f.code, p.brand_code is null, coalesce(p.brand_code, ''), coalesce(l.expires_on, 'infinity'), l.received_on, l.fg_id`;
const unitsIn = `case $6 ${BUCKETS.map((bucket) => `when '${bucket}' then l.${bucket}`).join(" ")} end`;

/** At most `limit` lots by formula, brand (the shared pool last) and expiry. `timeZone` decides which are in date. */
export const listLots = (
	db: Query,
	timeZone: string,
	{ formula, brand, batchNumber, bucket, expiresBefore, depleted, q, after }: LotFilter,
	limit: number,
) =>
	firstRows(limit, (most) =>
		db.query<ListedLot>(
			`select ${LOT} from ${LOT_JOINS}
			  where ($2::text is null or f.code = $2) and ($3::text is null or coalesce(p.brand_code, '${SHARED}') = $3)
			    and ($4::bool is null or l.depleted = $4) and ($5::text is null or l.batch_number = $5)
			    and ($6::text is null or ${unitsIn} > 0) and ($7::date is null or l.expires_on < $7)
			    and ($8::text is null or l.batch_number ilike $8 or l.location ilike $8 or f.code ilike $8 or f.name ilike $8)
			    and ($9::uuid is null
			         or f.code >= (select f.code from ${LOT_JOINS} where l.fg_id = $9)
			            and (${PLACE}) > (select ${PLACE} from ${LOT_JOINS} where l.fg_id = $9))
			  order by ${PLACE} limit $10`,
			[timeZone, formula, brand, depleted, batchNumber, bucket, expiresBefore, q && contains(q), after, most],
		),
	);

export const selectLot = (db: Query, timeZone: string, fgId: string) =>
	db.query<ListedLot>(`select ${LOT} from ${LOT_JOINS} where l.fg_id = $2`, [timeZone, fgId]);

/** An order by its names. */
export interface OrderOfMove {
	readonly orderId: string;
	readonly ref: string;
	readonly externalOrderId: string | null;
	readonly partner: string;
}

/** A ledger entry, for the operator. */
export interface ListedMove {
	/** Its number in the ledger, in the order of writing. */
	readonly seq: number;
	readonly at: Date;
	readonly fgId: string;
	readonly batchNumber: string;
	readonly brandCode: string | null;
	/** A bucket, or the outside world: `received` or `corrected`. */
	readonly from: string;
	readonly to: string;
	readonly units: number;
	/** The command. */
	readonly cause: string;
	/** The subject of the command, such as a reservation token, or the operator's reason. */
	readonly causeId: string | null;
	/** The hold that lost the units, where `causeId` is a reason; or null. */
	readonly hold: string | null;
	/** The order that was placed from the hold which the move names; or null. */
	readonly order: OrderOfMove | null;
	readonly actor: string;
	readonly requestId: string | null;
}

/** The format of a token, as a pattern of SQL. */
const UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

/** The latest `limit` moves of these lots, newest first. `before`: only those before this number; null: all. */
export const selectMoves = (db: Query, fgIds: readonly string[], before: number | null, limit: number) =>
	db.query<ListedMove>(
		`select m.seq, m.at, m.fg_id as "fgId", l.batch_number as "batchNumber", p.brand_code as "brandCode", m.from_bucket as "from",
		        m.to_bucket as "to", m.units, m.cause, m.cause_id as "causeId", m.reservation_token as hold, m.actor, m.request_id as "requestId",
		        (select jsonb_build_object('orderId', o.order_id, 'ref', o.ref, 'externalOrderId', o.external_order_id, 'partner', r.name)
		           from orders o join partner r using (partner_id)
		          where o.reservation_token = coalesce(m.reservation_token, case when m.cause_id ~ '${UUID}' then m.cause_id::uuid end)) as order
		   from (select * from unit_move where fg_id = any($1::uuid[]) and ($2::bigint is null or seq < $2)
		          order by seq desc limit $3) m
		   join lot l using (fg_id) join pool p using (pool_id)
		  order by m.seq desc`,
		[fgIds, before, limit],
	);

/** Ids of the lots of a formula, in every pool, in the shared one, or in those of a brand: SANDBOX has several. */
export async function selectLotIds(db: Query, formulaId: string, brandCode: string | null): Promise<string[]> {
	const { rows } = await db.query<{ id: string }>(
		`select fg_id as id from lot join pool using (pool_id)
		  where formula_id = $1 and ($2::text is null or coalesce(brand_code, '${SHARED}') = $2)`,
		[formulaId, brandCode],
	);
	return rows.map(({ id }) => id);
}

/** The formula and the pool of a lot that must exist. */
export async function selectShelfOf(db: Query, fgId: string): Promise<{ formulaId: string; poolId: number }> {
	const { rows } = await db.query<{ formulaId: string; poolId: number }>(
		'select formula_id as "formulaId", pool_id as "poolId" from lot where fg_id = $1',
		[fgId],
	);
	return must(rows[0], "the lot");
}

export async function lotExists(db: Query, fgId: string): Promise<boolean> {
	const { rows } = await db.query("select from lot where fg_id = $1", [fgId]);
	return rows.length > 0;
}
