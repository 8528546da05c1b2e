/** The bench's statements: set-based inserts of a world that passes `verify`, and the minimal reserve. */

/** Units in every lot: enough that no run ever sells out. */
const UNITS_PER_LOT = 100_000_000;
/** The brand that every key of the bench is bound to. */
export const BRAND = "BENCH";

export const formulaId = (n: string): string => `('00000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
export const lotId = (n: string): string => `('00000000-0000-7000-9000-' || lpad((${n})::text, 12, '0'))::uuid`;
export const skuCode = (n: string): string => `('SKU-' || lpad((${n})::text, 6, '0'))`;

export const INSERT_BRAND = `insert into pool (brand_code, name) values ('${BRAND}', 'Bench')`;

/** $1: number of SKUs, each of one formula of its own. Takes its numbers in the order of catalogue changes first. */
export const INSERT_CATALOG = [
	"update catalog_epoch set version = version + 2 * $1::integer",
	`insert into formula (formula_id, code, name, status, version)
	 select ${formulaId("n")}, 'F-' || lpad(n::text, 6, '0'), 'Formula ' || n, 'active', n + 1
	 from generate_series(0, $1::integer - 1) n`,
	`insert into sku (sku, name, kind, updated_at, version)
	 select ${skuCode("n")}, 'SKU number ' || n, 'single', now(), $1::integer + n + 1
	 from generate_series(0, $1::integer - 1) n`,
	`insert into sku_component (sku, position, formula_id, per_kit)
	 select ${skuCode("n")}, 0, ${formulaId("n")}, 1 from generate_series(0, $1::integer - 1) n`,
];

/** $1: number of lots, one for each formula, in the brand's pool. */
export const INSERT_LOTS = [
	`insert into lot (fg_id, formula_id, pool_id, batch_number, expires_on, received_on, received, corrected,
	   available, held, allocated, consumed, shipped, quarantined, destroyed)
	 select ${lotId("n")}, ${formulaId("n")}, (select pool_id from pool where brand_code = '${BRAND}'), 'B-' || n,
	   current_date + 700, current_date - 30, ${UNITS_PER_LOT}, 0, ${UNITS_PER_LOT}, 0, 0, 0, 0, 0, 0
	 from generate_series(0, $1::integer - 1) n`,
	`insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
	 select now() - interval '100 days', ${lotId("n")}, 'received', 'available', ${UNITS_PER_LOT}, 'receive', null, 'operator:bench', null
	 from generate_series(0, $1::integer - 1) n`,
	"update receipt_epoch set version = version + $1::integer",
	`insert into receipt (receipt_id, fg_id, pool_id, received_on, units_received, units_corrected, updated_at, version)
	 select gen_random_uuid(), ${lotId("n")}, (select pool_id from pool where brand_code = '${BRAND}'), current_date - 30,
	   ${UNITS_PER_LOT}, 0, now(), (select version from receipt_epoch) - n
	 from generate_series(0, $1::integer - 1) n`,
];

/**
 * Holds of the last 90 days but the last two, spread over the SKUs: half were consumed, three in ten released, two in
 * ten expired.
 * Written with their parts, both moves of each, and the lots' balances.
 */
export const INSERT_PAST_HOLDS = (holds: number, skus: number): { text: string; values: number[] }[] => [
	{
		text: `create temporary table past on commit drop as
	 select n, uuidv7(at - now()) as token, at, ${lotId("n % $2::integer")} as fg_id, ${formulaId("n % $2::integer")} as formula_id,
	   ${skuCode("n % $2::integer")} as sku,
	   case when n % 10 < 5 then 'consumed' when n % 10 < 8 then 'released' else 'expired' end as status
	 from generate_series(0, $1::integer - 1) n,
	   lateral (select date_trunc('milliseconds', now() - interval '90 days' + n * (interval '88 days' / $1::integer)) as at) t`,
		values: [holds, skus],
	},
	...[
		`insert into hold (reservation_token, key_id, partner_id, status, external_ref, consume_ref, lines, created_at, expires_at,
	   ended_at, consumed_units, returned_units)
	 select token, key_id, partner_id, status, 'past-' || n, case when status = 'consumed' then 'past-' || n end,
	   LINES, at, at + interval '30 minutes', ENDED, case when status = 'consumed' then 1 end, null
	 from past, (select key_id, partner_id from api_key order by name limit 1) k`,
		`insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units)
	 select token, 0, 0, formula_id, fg_id, (select pool_id from pool where brand_code = '${BRAND}'), 1
	 from past`,
		`insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
	 select at, fg_id, 'available', 'held', 1, 'reserve', token::text, 'key:' || pk, 'req_past'
	 from past, (select pk from api_key order by name limit 1) k order by n`,
		`insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
	 select ENDED, fg_id, 'held', case when status = 'consumed' then 'consumed' else 'available' end, 1,
	   case status when 'consumed' then 'consume' when 'released' then 'release' else 'expire' end, token::text,
	   case when status = 'expired' then 'system:expiry' else 'key:' || pk end,
	   case when status = 'expired' then null else 'req_past' end
	 from past, (select pk from api_key order by name limit 1) k order by n`,
		`update lot set available = available - used.units, consumed = consumed + used.units
	 from (select fg_id, count(*)::integer as units from past where status = 'consumed' group by fg_id) used
	 where used.fg_id = lot.fg_id`,
	].map((text) => ({ text: text.replaceAll("LINES", PAST_LINES).replaceAll("ENDED", PAST_ENDED), values: [] })),
];
const PAST_LINES = `jsonb_build_array(jsonb_build_object('sku', sku, 'brand_code', '${BRAND}', 'qty', 1, 'pools', jsonb_build_array((select pool_id from pool where brand_code = '${BRAND}'), 0), 'components',
	     jsonb_build_array(jsonb_build_object('formula_id', formula_id, 'per_kit', 1))))`;
const PAST_ENDED = "at + case when status = 'expired' then interval '30 minutes' else interval '1 minute' end";

/*
 * The minimum that a reserve must write: takes the units, then writes hold, part and move. The lot is known in advance;
 * there is no lookup of an earlier hold, of other lots, of a recipe or of promised demand.
 */

const HOLD_COLUMNS = "(reservation_token, key_id, partner_id, status, external_ref, lines, created_at, expires_at)";
const PART_COLUMNS = "(reservation_token, ordinal, line, formula_id, fg_id, pool_id, units)";
const MOVE_COLUMNS = "(at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)";
const TAKE_UNITS = "update lot set available = available - 1, held = held + 1 where available >= 1 and fg_id =";
const LINES = `'[{"sku": "SKU-%s", "brand_code": "${BRAND}", "qty": 1, "pools": [%s, 0], "components": [{"formula_id": "%s", "per_kit": 1}]}]'`;

/** What the minimal reserves need in the database: the caller, and the function of MINIMAL_CALL. */
export const CREATE_MINIMAL_RESERVE = [
	"create schema bench",
	"create table bench.caller as select key_id, partner_id, pk, pool_id from api_key order by name limit 1",
	`create function bench.reserve(sku_number text, reference text) returns uuid language plpgsql as $$
	declare
		token  constant uuid := uuidv7();
		at     constant timestamptz := now();
		the_fg constant uuid := ${lotId("sku_number")};
		the_formula constant uuid := ${formulaId("sku_number")};
		caller record;
	begin
		select * into caller from bench.caller;
		${TAKE_UNITS} the_fg;
		if not found then raise exception 'sold out'; end if;
		insert into hold ${HOLD_COLUMNS}
		values (token, caller.key_id, caller.partner_id, 'active', reference,
			format(${LINES}, sku_number, caller.pool_id, the_formula)::jsonb, at, at + interval '30 minutes');
		insert into hold_part ${PART_COLUMNS} values (token, 0, 0, the_formula, the_fg, caller.pool_id, 1);
		insert into unit_move ${MOVE_COLUMNS}
		values (at, the_fg, 'available', 'held', 1, 'reserve', token::text, 'key:' || caller.pk, null);
		return token;
	end $$`,
];

interface Step {
	readonly text: string;
	readonly parameters: readonly string[];
}
const LOT = "00000000-0000-7000-9000-000000{sku}";
const FORMULA = "00000000-0000-7000-8000-000000{sku}";

/** One server-side call: the lot's row is locked only during the call and its commit. */
export const MINIMAL_CALL: Step = {
	text: "select bench.reserve($1::text, $2::text)",
	parameters: ["{sku}", "{ref}"],
};
/** A script of consecutive statements. */
export const MINIMAL_SCRIPT: readonly Step[] = [
	{ text: "begin", parameters: [] },
	{ text: `${TAKE_UNITS} $1::uuid`, parameters: [LOT] },
	{
		text: `insert into hold ${HOLD_COLUMNS}
	select $1::uuid, key_id, partner_id, 'active', $2::text, format(${LINES}, $3::text, pool_id, $4::text)::jsonb, now(),
	  now() + interval '30 minutes' from bench.caller`,
		parameters: ["{token}", "{ref}", "{sku}", FORMULA],
	},
	{
		text: `insert into hold_part ${PART_COLUMNS}
	select $1::uuid, 0, 0, $2::uuid, $3::uuid, pool_id, 1 from bench.caller`,
		parameters: ["{token}", FORMULA, LOT],
	},
	{
		text: `insert into unit_move ${MOVE_COLUMNS}
	select now(), $1::uuid, 'available', 'held', 1, 'reserve', $2::text, 'key:' || pk, null from bench.caller`,
		parameters: [LOT, "{token}"],
	},
	{ text: "commit", parameters: [] },
];

/* One transaction per request, statement by statement. */

export interface PlainComponent {
	readonly sku: string;
	readonly formula_id: string;
	readonly per_kit: number;
}
export interface PlainLot {
	readonly fg_id: string;
	readonly formula_id: string;
	readonly pool_id: number;
	readonly available: number;
}

export const SELECT_HOLD_BY_REF =
	"select reservation_token as token from hold where key_id = $1 and external_ref = $2 and status = 'active'";
export const SELECT_RECIPE = `select s.sku, c.formula_id, c.per_kit
	from sku s join sku_component c on c.sku = s.sku join formula f on f.formula_id = c.formula_id and f.status = 'active'
	where s.sku = any($1::text[]) order by s.sku, c.position`;
export const LOCK_LOTS = `select fg_id, formula_id, pool_id, available from lot
	where formula_id = any($1::uuid[]) and pool_id = any($2::integer[]) and not depleted
	  and (expires_on is null or expires_on >= current_date)
	order by pool_id = 0, expires_on nulls last, received_on, fg_id for update`;
export const INSERT_HOLD = `insert into hold (reservation_token, key_id, partner_id, status, external_ref, lines, created_at, expires_at)
	values ($1, $2, $3, 'active', $4, $5, now(), now() + $6 * interval '1 minute') returning expires_at`;
export const INSERT_PART = `insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units)
	values ($1, $2, $3, $4, $5, $6, $7)`;
export const INSERT_MOVE = `insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor, request_id)
	values (now(), $1, 'available', 'held', $2, 'reserve', $3, $4, $5)`;
export const UPDATE_LOT = "update lot set available = available - $2, held = held + $2 where fg_id = $1";
