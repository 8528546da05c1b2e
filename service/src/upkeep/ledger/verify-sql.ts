import { MAX_TTL_MINUTES, SANDBOX_MODEL_POOL_ID } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { digestStatements } from "./digest-sql.ts";
import { type Seal, sealStatements } from "./seal-sql.ts";
import type { VerifyReport } from "./verify.ts";
import { ERASED } from "./verify-erased-sql.ts";
import { ORDER_STATEMENTS } from "./verify-orders-sql.ts";
import { sumStatements, type VerifyScope } from "./verify-sums-sql.ts";

/*
 * Rules for the stored rows: each is one set-based statement that returns only violations. All run in one read-only
 * snapshot, so they describe one instant of a live service.
 */

/**
 * Settings for this transaction: memory for sums over every row, plans for large tables, and no index scans. So a row
 * that is missing from an index still counts, and the indexes themselves can be verified.
 */
export const planForSums = (tx: Query) =>
	tx.query(
		`select set_config(s.name, s.value, true)
		   from (values ('work_mem', '256MB'), ('hash_mem_multiplier', '2'), ('jit', 'off'), ('enable_seqscan', 'on'),
		                ('enable_indexscan', 'off'), ('enable_indexonlyscan', 'off'), ('enable_bitmapscan', 'off')) s(name, value)`,
	);

export const selectCounts = (tx: Query) =>
	tx.query<VerifyReport["checked"]>(
		`select (select count(*) from lot) as lots, (select count(*) from unit_move) as moves,
		        (select count(*) from hold) as holds, (select count(*) from hold_part) as parts,
		        (select count(*) from api_key) as keys, (select count(*) from sku) as skus`,
	);

export interface DifferenceRow {
	readonly rule: string;
	readonly subject: string;
	readonly expected: string | null;
	readonly found: string | null;
	/** Number of differences of this rule. */
	readonly total: number;
}
/** Runs one of the statements below; returns at most `most` examples of each rule. */
export const selectDifferences = (tx: Query, statement: string, most: number) =>
	tx.query<DifferenceRow>(
		`select rule, subject, expected, found, total::int
		   from (select d.*, count(*) over (partition by rule) as total, row_number() over (partition by rule order by subject) as n
		           from (${statement}) d(rule, subject, expected, found)) numbered
		  where n <= $1 order by rule, n`,
		[most],
	);

/** Each line of a hold against its parts. A line without any part shows up in the sum over the hold. */
const LINES = `
with granted as (
  select reservation_token, line, formula_id, sum(units) as ever, coalesce(sum(units) filter (where own_state is distinct from 'displaced'), 0) as whole
    from hold_part group by 1, 2, 3)
select 'hold-granted', 'hold ' || reservation_token || ', line ' || line || ', formula ' || formula_id,
       w.units || ' units granted', whole || ' in parts, ' || ever || ' with displaced ones'
  from granted join hold h using (reservation_token)
 cross join lateral (
    select coalesce(sum((h.lines->line->>'qty')::bigint * (c.component->>'per_kit')::bigint), 0) as units
      from jsonb_array_elements(h.lines->line->'components') c(component) where c.component->>'formula_id' = formula_id::text) w
 where w.units not between whole and ever`;

/** Parts of holds against their hold and their lot. */
const PARTS = `
select v.rule, 'part ' || p.ordinal || ' of hold ' || p.reservation_token, v.expected, v.found
  from hold_part p left join hold h using (reservation_token) left join lot l using (fg_id)
 cross join lateral (values
   ('part-without-hold', h.reservation_token is null, 'a hold', 'none'),
   ('part-without-lot', l.fg_id is null, 'lot ' || p.fg_id, 'none'),
   ('part-lot', l.formula_id <> p.formula_id or l.pool_id <> p.pool_id, 'formula ' || l.formula_id || ' in pool ' || l.pool_id,
     'formula ' || p.formula_id || ' in pool ' || p.pool_id)
 ) v(rule, wrong, expected, found)
 where v.wrong and (h.reservation_token is null or l.fg_id is null or l.formula_id <> p.formula_id or l.pool_id <> p.pool_id)`;

/**
 * Holds against the pools their key may draw from and against their end. A consume at or after the end takes units that
 * others may have. No key draws on the model of the sandboxes, but a hold that is older than its partner's sandbox may
 * have units of it, because all partners shared them before.
 */
const LIMITS = `
select 'hold-pools', 'hold ' || h.reservation_token || ', line ' || (l.n - 1), 'pools ' || w.allowed::text, 'pools ' || coalesce((l.line->'pools')::text, 'none')
  from hold h join api_key k using (key_id)
 cross join lateral jsonb_array_elements(h.lines) with ordinality l(line, n)
  left join pool b on b.brand_code = l.line->>'brand_code' and b.partner_id is not distinct from k.sandbox_of
 cross join lateral (
    select case when k.pool_id is null and b.pool_id is not distinct from ${SANDBOX_MODEL_POOL_ID} then '[]'
                when k.sandbox_of is not null and h.created_at < b.created_at
                then jsonb_build_array(${SANDBOX_MODEL_POOL_ID}, b.pool_id)
                else case when coalesce(k.pool_id, b.pool_id) is null then '[]' else jsonb_build_array(coalesce(k.pool_id, b.pool_id)) end
                     || case when k.shared_pool then '[0]' else '[]' end::jsonb
           end::jsonb as allowed) w
 where not coalesce(l.line->'pools' <@ w.allowed and jsonb_array_length(l.line->'pools') > 0, false)
    or (k.pool_id is not null and b.pool_id is distinct from k.pool_id)
union all
select 'part-pool', 'hold ' || reservation_token || ', line ' || p.line, 'units of pools ' || coalesce((h.lines->p.line->'pools')::text, 'none'),
       'units of pool ' || p.pool_id
  from (select distinct reservation_token, line, pool_id from hold_part) p join hold h using (reservation_token)
 where not coalesce(h.lines->p.line->'pools' @> to_jsonb(p.pool_id), false)
union all
select 'hold-late', 'hold ' || reservation_token, 'consumed before ' || expires_at, 'consumed at ' || ended_at
  from hold where status in ('consumed', 'reversed') and ended_at >= expires_at
union all
select 'hold-life', 'hold ' || reservation_token, 'an end within ${MAX_TTL_MINUTES} minutes of ' || created_at, 'its end is ' || expires_at
  from hold where expires_at > created_at + ${MAX_TTL_MINUTES} * interval '1 minute'
union all
select distinct 'hold-key', 'hold ' || h.reservation_token, 'key ' || k.key_id || ', which reserved it', 'key ' || h.key_id
  from unit_move m join api_key k on m.actor = 'key:' || k.pk join hold h on h.reservation_token::text = m.cause_id
 where m.cause = 'reserve' and h.key_id <> k.key_id`;

/**
 * Units drawn down against the ledger; shipped units neither drawn down nor in an exception; promised units against the
 * last entry of the promise log.
 */
const DEMAND = `
with
  promised as (select formula_id, pool_id, reference, units from demand union all select formula_id, pool_id, null, units from safety_buffer),
  logged as (
    select formula_id, pool_id, reference, units
      from (select distinct on (formula_id, pool_id, reference) * from promise_log order by formula_id, pool_id, reference, seq desc) last
     where units > 0)
select 'demand-log', v.what || ' of formula ' || coalesce(l.formula_id, p.formula_id) || ' in pool ' || coalesce(l.pool_id, p.pool_id),
       coalesce(l.units, 0) || ' units', coalesce(p.units, 0)::text
  from logged l full join promised p
    on p.formula_id = l.formula_id and p.pool_id = l.pool_id and coalesce(p.reference, '') = coalesce(l.reference, '')
   and (p.reference is null) = (l.reference is null)
 cross join lateral (select coalesce('demand under ' || coalesce(l.reference, p.reference), 'safety buffer') as what) v
 where p.units is distinct from l.units
union all
select 'demand-order', 'demand of ' || f.code || ' under ' || d.reference, 'an order that ' || d.source || ' reported', 'none'
  from demand d join formula f using (formula_id) left join reported_order o using (reference, source)
 where d.source is not null and o.reference is null
union all
select 'demand-exception', 'SKU ' || l.sku || ' of order ' || l.reference, 'an exception for ' || (l.shipped_qty - l.settled_qty) || ' shipped kits',
       'none'
  from reported_line l
 where l.settled_qty < l.shipped_qty
   and not exists (select from demand_exception e
                    where e.reference = l.reference and e.closed_at is null and (e.kind = 'unknown_store' or e.subject = l.sku))`;

/** The guarantees of unique indexes, checked on the rows themselves. */
const REFERENCES = `
select 'hold-ref-twice', 'key ' || key_id || ', external_ref ' || external_ref, '1 active hold', count(*)::text
  from hold where status = 'active' and external_ref is not null group by key_id, external_ref having count(*) > 1
union all
select 'consume-ref-twice', 'key ' || key_id || ', consumed under ' || consume_ref, '1 hold', count(*)::text
  from hold where consume_ref is not null group by key_id, consume_ref having count(*) > 1
union all
select 'lot-twice', 'formula ' || formula_id || ' in pool ' || pool_id || ', batch ' || batch_number, '1 lot', count(*)::text
  from lot group by formula_id, pool_id, batch_number having count(*) > 1`;

/** Recipes fit their kind, and no row has a number above the epoch's. */
const CATALOG = `
select 'sku-recipe', 'SKU ' || s.sku, case s.kind when 'single' then '1 formula' when 'kit' then 'none, or 2 or more formulas' else 'none' end,
       count(c.formula_id) || ' formulas'
  from sku s left join sku_component c using (sku) group by s.sku
having case s.kind when 'single' then count(c.formula_id) <> 1 when 'kit' then count(c.formula_id) = 1 else count(c.formula_id) > 0 end
union all
select 'epoch', 'catalogue', 'no change above ' || e.version, 'change ' || m.last
  from catalog_epoch e, (select greatest((select max(version) from sku), (select max(version) from formula)) as last) m where m.last > e.version
union all
select 'epoch', 'keys', 'no change above ' || e.version, 'change ' || m.last
  from key_epoch e, (select max(version) as last from api_key) m where m.last > e.version
union all
select 'epoch', l.epoch, 'change ' || e.version || ' as the last of its log', 'change ' || coalesce(max(l.version)::text, 'none')
  from (select 'catalog_epoch' as epoch, version, stamp from catalog_epoch union all select 'key_epoch', version, stamp from key_epoch) e
  left join epoch_log l using (epoch)
 group by l.epoch, e.version, e.stamp
having max(l.version) is distinct from e.version or not bool_or(l.version = e.version and l.stamp = e.stamp)`;

/** The safeguards of the schema: constraints, unique indexes and the trigger that keeps the ledger append-only. */
const WALLS = `
select 'wall', w.what || ' ' || w.name, 'in force', coalesce(f.found, 'missing')
  from (values ('constraint', 'lot_conserves_units'), ('constraint', 'unit_move_buckets'),
               ('constraint', 'hold_part_own_state_check'), ('index', 'hold_active_ref'),
               ('index', 'hold_consume_ref'), ('constraint', 'lot_recalled_has_none_free'), ('index', 'orders_ref'),
               ('index', 'orders_reservation_token_key'), ('index', 'shipment_modified_seq_key'), ('index', 'event_seq_key'),
               ('index', 'orders_of_key'), ('index', 'receipt_pool_id_version_key'), ('index', 'sku_version_key'), ('index', 'certificate_version_key'),
               ('index', 'webhook_endpoint_version_key'), ('index', 'webhook_delivery_listed'),
               ('index', 'demand_exception_open'), ('constraint', 'reported_line_settled'), ('trigger', 'unit_move_append_only'), ('trigger', 'lot_label_digested'), ('trigger', 'demand_changed'),
               ('trigger', 'safety_buffer_changed'), ('trigger', 'demand_logged'), ('trigger', 'safety_buffer_logged'), ('trigger', 'catalog_epoch_stamped'), ('trigger', 'catalog_epoch_logged'),
               ('trigger', 'demand_epoch_stamped'), ('trigger', 'key_epoch_stamped'), ('trigger', 'key_epoch_logged')) w(what, name)
  left join (
    select 'constraint' as what, conname::text as name, case when convalidated then 'in force' else 'not validated' end as found
      from pg_constraint where connamespace = current_schema()::regnamespace
    union all
    select 'index', c.relname::text, case when i.indisunique and i.indisvalid then 'in force' else 'not unique or not valid' end
      from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = current_schema()::regnamespace
    union all
    select 'trigger', tgname::text, case when tgenabled in ('O', 'A') then 'in force' else 'disabled' end
      from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = current_schema()::regnamespace
  ) f using (what, name)
 where f.found is distinct from 'in force'
union all
select 'wall', 'constraint ' || conname || ' of ' || conrelid::regclass, 'validated', 'not validated'
  from pg_constraint where connamespace = current_schema()::regnamespace and not convalidated`;

/** Receipts against their lots: the receipts of all days add up to the received and corrected units of the lot. */
const RECEIPTS = `
with told as (
  select fg_id, sum(units_received) as received, sum(units_corrected) as corrected from receipt group by 1)
select 'receipt-units', 'lot ' || l.fg_id || v.what, v.expected::text, v.found::text
  from lot l left join told t using (fg_id)
 cross join lateral (values
   (', received', l.received, coalesce(t.received, 0)), (', corrected', l.corrected, coalesce(t.corrected, 0))) v(what, expected, found)
 where v.expected <> v.found
union all
select 'receipt-lot', 'receipt ' || r.receipt_id, 'pool ' || coalesce(l.pool_id, r.pool_id) || ' of lot ' || r.fg_id,
       case when l.fg_id is null then 'no such lot' else 'pool ' || r.pool_id end
  from receipt r left join lot l using (fg_id) where l.pool_id is distinct from r.pool_id
union all
select 'epoch', 'receipts', 'no change above ' || e.version, 'change ' || m.last
  from receipt_epoch e, (select max(version) as last from receipt) m where m.last > e.version`;

/** The days of receipts against the moves of those days. */
const RECEIPT_DAYS = `
-- a day in the service's time zone, which the database does not know: at most one day from that of UTC
select 'receipt-day', 'receipt ' || r.receipt_id, l.received_on || ', or a day of units that came', r.received_on::text
  from receipt r join lot l using (fg_id)
  left join (select distinct fg_id, (at at time zone 'UTC')::date as day from unit_move
              where from_bucket in ('received', 'corrected') or to_bucket = 'corrected') m
    on m.fg_id = r.fg_id and m.day between r.received_on - 1 and r.received_on + 1
 where r.received_on <> l.received_on and m.fg_id is null`;

const CERTIFICATES = `
select 'certificate-recalled', 'certificate ' || c.product_slug || ' ' || c.batch_number, 'retired: lot ' || l.fg_id || ' is recalled', c.status
  from certificate c join certificate_lot b using (certificate_id) join lot l using (fg_id)
 where l.recalled_at is not null and c.status = 'current'
union all
select 'certificate-file', 'certificate ' || c.product_slug || ' ' || c.batch_number, 'its PDF among its files', 'not there'
  from certificate c left join certificate_file f on f.certificate_id = c.certificate_id and f.digest = c.file_digest
 where f.digest is null
union all
select 'certificate-twice', 'product ' || product_slug || ', batch ' || batch_number, '1 record in the feed', count(*)::text
  from certificate where version is not null and not reissued group by product_slug, batch_number having count(*) > 1
   and bool_and(status <> 'draft')
union all
select 'certificate-order', 'certificate ' || product_slug || ' ' || batch_number, 'changed no earlier than change ' || before_version,
       'earlier'
  from (select product_slug, batch_number, updated_at, lag(updated_at) over w as before, lag(version) over w as before_version
          from certificate where version is not null window w as (order by version)) c
 where updated_at < before
union all
select 'epoch', 'certificates', 'no change above ' || e.version, 'change ' || m.last
  from certificate_epoch e, (select max(version) as last from certificate) m where m.last > e.version`;

/**
 * The statements of a run, in their order. `seal`: the last seal; null: there is none. A run since that seal reads the
 * tables of since-sql.ts.
 */
export const statementsOf = (scope: VerifyScope, seal: Seal | null): readonly string[] =>
	Object.values({
		...sumStatements(scope),
		LINES,
		PARTS,
		LIMITS,
		DEMAND,
		REFERENCES,
		CATALOG,
		RECEIPTS,
		...(scope === "whole" ? { RECEIPT_DAYS } : {}),
		WALLS,
		...ORDER_STATEMENTS,
		ERASED,
		CERTIFICATES,
		...digestStatements(scope === "since" ? seal : null),
		...sealStatements(scope, seal),
	});
