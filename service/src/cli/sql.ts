import type { Query } from "../pg/connect.ts";

/* What the operator's lists show; nothing here changes a row. */

export interface LotRow {
	fg_id: string;
	formula: string;
	brand_code: string | null;
	batch_number: string;
	expires_on: string | null;
	received_on: string;
	in_date: boolean;
	received: number;
	corrected: number;
	available: number;
	held: number;
	allocated: number;
	consumed: number;
	shipped: number;
	quarantined: number;
	destroyed: number;
}
export interface LotFilter {
	readonly fgId: string | null;
	readonly formula: string | null;
	readonly brand: string | null;
	readonly depleted: boolean;
	readonly limit: number;
}
/** Lots by formula, pool and expiry. */
export const selectLots = (db: Query, timeZone: string, { fgId, formula, brand, depleted, limit }: LotFilter) =>
	db.query<LotRow>(
		`select l.fg_id, f.code as formula, p.brand_code, l.batch_number, l.expires_on, l.received_on,
		        coalesce(l.expires_on >= (now() at time zone $1)::date, true) as in_date, l.received, l.corrected, l.available,
		        l.held, l.allocated, l.consumed, l.shipped, l.quarantined, l.destroyed
		   from lot l join formula f using (formula_id) join pool p using (pool_id)
		  where ($2::uuid is null or l.fg_id = $2) and ($3::text is null or f.code = $3) and ($4::text is null or p.brand_code = $4)
		    and ($5 or not l.depleted)
		  order by f.code, p.brand_code nulls last, l.expires_on nulls last, l.received_on, l.fg_id limit $6`,
		[timeZone, fgId, formula, brand, depleted, limit],
	);

export const selectFormulaId = async (db: Query, code: string): Promise<string | null> => {
	const { rows } = await db.query<{ id: string }>("select formula_id as id from formula where code = $1", [code]);
	return rows[0]?.id ?? null;
};
export const selectPoolId = async (db: Query, brandCode: string): Promise<number | null> => {
	const { rows } = await db.query<{ id: number }>("select pool_id as id from pool where brand_code = $1", [brandCode]);
	return rows[0]?.id ?? null;
};

export interface HoldRow {
	reservation_token: string;
	key: string;
	key_name: string;
	partner: string;
	status: string;
	external_ref: string | null;
	consume_ref: string | null;
	units: number;
	created_at: Date;
	expires_at: Date;
	ended_at: Date | null;
}
const HOLD_COLUMNS = `h.reservation_token, k.pk as key, k.name as key_name, p.name as partner,
	case when h.status = 'active' and h.expires_at <= now() then 'expired' else h.status end as status,
	h.external_ref, h.consume_ref, h.created_at, h.expires_at, h.ended_at,
	coalesce((select sum(units) from hold_part x where x.reservation_token = h.reservation_token and x.own_state is distinct from 'displaced'), 0) as units`;

export interface HoldFilter {
	/** A key's id. */
	readonly keyId: string | null;
	readonly status: string | null;
	readonly limit: number;
}
/** The newest holds first; ids grow with time. */
export const selectHolds = (db: Query, { keyId, status, limit }: HoldFilter) =>
	db.query<HoldRow>(
		`select ${HOLD_COLUMNS} from hold h join api_key k using (key_id) join partner p on p.partner_id = h.partner_id
		  where ($1::uuid is null or h.key_id = $1)
		    and ($2::text is null or $2 = case when h.status = 'active' and h.expires_at <= now() then 'expired' else h.status end)
		  order by h.reservation_token desc limit $3`,
		[keyId, status, limit],
	);

export interface HoldDetail extends HoldRow {
	consumed_units: number | null;
	returned_units: number | null;
	lines: { sku: string; brand_code: string | null; qty: number }[];
}
export const selectHold = (db: Query, token: string) =>
	db.query<HoldDetail>(
		`select ${HOLD_COLUMNS}, h.consumed_units, h.returned_units, h.lines
		   from hold h join api_key k using (key_id) join partner p on p.partner_id = h.partner_id
		  where h.reservation_token = $1`,
		[token],
	);
export interface PartRow {
	line: number;
	formula: string;
	brand_code: string | null;
	fg_id: string;
	batch_number: string;
	units: number;
	state: string;
}
export const selectHoldParts = (db: Query, token: string) =>
	db.query<PartRow>(
		`select x.line, f.code as formula, p.brand_code, x.fg_id, l.batch_number, x.units,
		        part_state(h.status, x.own_state) as state
		   from hold_part x join hold h using (reservation_token) join formula f using (formula_id) join pool p using (pool_id)
		   join lot l on l.fg_id = x.fg_id
		  where x.reservation_token = $1 order by x.ordinal`,
		[token],
	);

/** The database's clock, its encoding and how many connections it takes, for the doctor. */
export const selectServerFacts = (db: Query) =>
	db.query<{ now_ms: number; version: string; encoding: string; max_connections: number }>(
		`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, current_setting('server_version') as version,
		        current_setting('server_encoding') as encoding, current_setting('max_connections')::int as max_connections`,
	);
