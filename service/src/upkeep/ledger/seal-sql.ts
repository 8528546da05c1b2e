import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { HOLD_CAUSES_IN_SQL, HOLD_SUM_NAMES, HOLD_SUMS, type VerifyScope } from "./verify-sums-sql.ts";

/*
 * Seals of the ledger: how far a run without differences has read, and the sums up to there. The digest of a seal
 * covers the digests of history, which cover the moves and the events themselves.
 */

/** Days for which the sums of a hold are kept after its last move; its units are rarely returned or voided later. */
export const KEPT_DAYS = 31;

export interface Seal {
	/** From 1 on, without gaps. */
	readonly seal: number;
	/** The moment that its run checked. */
	readonly madeAt: Date;
	/** The number of the last move, and of the last event, that it covers. */
	readonly movesUpto: number;
	readonly eventsUpto: number;
	/** The last number of the list of boxes at that moment. */
	readonly changesUpto: number;
	/** The same for the list of certificates. */
	readonly certificatesUpto: number;
	/** In hexadecimal. */
	readonly digest: string;
}

/** How far a run that leaves a seal has read. */
export type SealReach = Pick<Seal, "madeAt" | "movesUpto" | "eventsUpto" | "changesUpto" | "certificatesUpto">;

export interface LastSeal extends Seal {
	/** The moment of the last seal that a whole run left. */
	readonly wholeAt: Date;
	/** The seal to which the sums belong. If it is later than this one, that seal was erased. */
	readonly sumsOf: number;
}

export async function selectLastSeal(db: Query): Promise<LastSeal | null> {
	const { rows } = await db.query<LastSeal>(
		`select seal, made_at as "madeAt", moves_upto as "movesUpto", events_upto as "eventsUpto", changes_upto as "changesUpto",
		        certificates_upto as "certificatesUpto",
		        encode(digest, 'hex') as digest, coalesce((select max(made_at) from ledger_seal where is_whole), made_at) as "wholeAt",
		        coalesce((select max(seal) from lot_seal), 0) as "sumsOf"
		   from ledger_seal order by seal desc limit 1`,
	);
	return rows[0] ?? null;
}

/**
 * How far a seal made from this snapshot may reach. Rows without a digest are left out, because rows with lower numbers
 * may still be committed.
 */
export async function selectReach(tx: Query): Promise<SealReach> {
	const { rows } = await tx.query<SealReach>(
		`select clock_timestamp() as "madeAt", coalesce(max(upto) filter (where kind = 'move'), 0) as "movesUpto",
		        coalesce(max(upto) filter (where kind = 'event'), 0) as "eventsUpto",
		        (select version from shipment_epoch) as "changesUpto", (select version from certificate_epoch) as "certificatesUpto"
		   from history_digest`,
	);
	return must(rows[0], "the reach");
}

/** The digests of history of a kind between two seals. */
const stretch = (kind: string, upto: string): string =>
	`(select concat_ws('|', count(*), sum(rows), sum(digest)) from history_digest
	   where kind = '${kind}' and after >= coalesce(b.${upto}, 0) and upto <= s.${upto})`;
/** What the digest of seal `s` must be; `b` is the one before it. */
const DIGEST = `sha256(convert_to(concat_ws('|', coalesce(encode(b.digest, 'hex'), ''), s.seal, extract(epoch from s.made_at), s.is_whole,
   s.moves_upto, s.events_upto, s.changes_upto, s.certificates_upto, ${stretch("move", "moves_upto")}, ${stretch("event", "events_upto")}), 'UTF8'))`;

/** Adds a seal after `before`; returns its digest, or null if another run has sealed meanwhile. */
export async function insertSeal(
	tx: Query,
	before: Seal | null,
	isWhole: boolean,
	{ madeAt, movesUpto, eventsUpto, changesUpto, certificatesUpto }: SealReach,
): Promise<string | null> {
	const seal = (before?.seal ?? 0) + 1;
	const { rows } = await tx.query<{ digest: string }>(
		`insert into ledger_seal (seal, made_at, is_whole, moves_upto, events_upto, changes_upto, certificates_upto, digest)
		 select s.*, ${DIGEST}
		   from (values ($1::bigint, $2::timestamptz, $3::boolean, $4::bigint, $5::bigint, $6::bigint, $7::bigint))
		          s(seal, made_at, is_whole, moves_upto, events_upto, changes_upto, certificates_upto)
		   left join ledger_seal b on b.seal = s.seal - 1
		 on conflict do nothing returning encode(digest, 'hex') as digest`,
		[seal, madeAt, isWhole, movesUpto, eventsUpto, changesUpto, certificatesUpto],
	);
	return rows[0]?.digest ?? null;
}

/** Empties the sums, so that they can be made again from the whole ledger. */
export async function deleteSums(tx: Query): Promise<void> {
	await tx.query("delete from lot_seal");
	await tx.query("delete from hold_seal");
}

/** Adds the moves above `after` up to `upto` to the sums of lots. `seal`: the seal to which the sums now belong. */
export const addToLots = (tx: Query, seal: number, after: number, upto: number): Promise<unknown> =>
	tx.query(
		`insert into lot_seal (fg_id, bucket, units, seal)
		 select fg_id, bucket, sum(units), $1
		   from (select fg_id, to_bucket as bucket, units from unit_move where seq > $2 and seq <= $3
		         union all select fg_id, from_bucket, -units from unit_move where seq > $2 and seq <= $3) m
		  group by 1, 2
		 on conflict (fg_id, bucket) do update set units = lot_seal.units + excluded.units, seal = excluded.seal`,
		[seal, after, upto],
	);

/** Whether the sums of a hold are kept: it moved recently, or has not ended. */
const isKept = (token: string, lastAt: string): string => `(${lastAt} >= now() - ${KEPT_DAYS} * interval '1 day'
   or exists (select from hold h where h.reservation_token = ${token} and h.status = 'active')
   or exists (select from orders o where o.reservation_token = ${token} and o.is_open))`;

/** The same for holds: drops those whose units were all freed, and adds only those whose first move is among these. */
export const addToHolds = (tx: Query, after: number, upto: number): Promise<unknown> =>
	tx.query(
		`merge into hold_seal s
		 using (
		   select *, ${isKept("token", "at")} as is_kept
		     from (select cause_id::uuid as token, max(at) as at, ${HOLD_SUM_NAMES.map((name) => `${HOLD_SUMS[name]} as ${name}`).join(", ")}
		             from unit_move where seq > $1 and seq <= $2 and cause in ${HOLD_CAUSES_IN_SQL} group by 1) moved) m
		    on m.token = s.reservation_token
		 when matched and s.freed + m.freed >= s.reserved + m.reserved then delete
		 when matched then update set ${HOLD_SUM_NAMES.map((name) => `${name} = s.${name} + m.${name}`).join(", ")}, last_at = greatest(s.last_at, m.at)
		 when not matched and m.reserved > m.freed and m.is_kept
		   then insert (reservation_token, last_at, ${HOLD_SUM_NAMES.join(", ")})
		        values (m.token, m.at, ${HOLD_SUM_NAMES.map((name) => `m.${name}`).join(", ")})`,
		[after, upto],
	);

/**
 * Drops the sums of holds that ended and did not move for KEPT_DAYS. `upto`: the last move that the sums have; those of
 * a hold with a later one stay.
 */
export const dropOldHolds = (tx: Query, upto: number): Promise<unknown> =>
	tx.query(
		`delete from hold_seal s
		  where last_at < now() - ${KEPT_DAYS} * interval '1 day' and not ${isKept("s.reservation_token", "last_at")}
		    and not exists (select from unit_move m
		                     where m.seq > $1 and m.cause in ${HOLD_CAUSES_IN_SQL} and m.cause_id = s.reservation_token::text)`,
		[upto],
	);

/** Every seal from number `from` on against the digests of history and the seal before it. */
const sealsFrom = (from: number): string => `
select 'seal', 'seal ' || s.seal || ' of ' || to_char(s.made_at at time zone 'UTC', 'YYYY-MM-DD'), 'the digest of its rows and of the seal before it', 'another one'
  from ledger_seal s left join ledger_seal b on b.seal = s.seal - 1
 where s.seal >= ${from} and (s.digest <> ${DIGEST} or (s.seal > 1 and b.seal is null))
union all
select 'seal', 'sums of seal ' || l.seal, 'the seal', 'none'
  from (select max(seal) as seal from lot_seal) l where l.seal > (select coalesce(max(seal), 0) from ledger_seal)`;

/** The sums of the last seal against all moves that it covers. */
const sumsUpto = (movesUpto: number): string => `
select 'sealed-sums', 'lot ' || fg_id || ', ' || bucket, coalesce(m.units, 0) || ' units up to move ${movesUpto}', coalesce(s.units, 0)::text
  from lot_seal s
  full join (
    select fg_id, bucket, sum(units) as units
      from (select fg_id, to_bucket as bucket, units from unit_move where seq <= ${movesUpto}
            union all select fg_id, from_bucket, -units from unit_move where seq <= ${movesUpto}) m group by 1, 2) m using (fg_id, bucket)
 where coalesce(m.units, 0) <> coalesce(s.units, 0)
union all
select 'sealed-sums', 'hold ' || s.reservation_token, concat_ws(', ', ${HOLD_SUM_NAMES.map((name) => `m.${name} || ' ${name}'`).join(", ")}),
       concat_ws(', ', ${HOLD_SUM_NAMES.map((name) => `s.${name} || ' ${name}'`).join(", ")})
  from hold_seal s
  left join (
    select cause_id, ${HOLD_SUM_NAMES.map((name) => `${HOLD_SUMS[name]} as ${name}`).join(", ")}
      from unit_move where seq <= ${movesUpto} and cause in ${HOLD_CAUSES_IN_SQL} group by 1) m on m.cause_id = s.reservation_token::text
 where (${HOLD_SUM_NAMES.map((name) => `m.${name}`).join(", ")}) is distinct from (${HOLD_SUM_NAMES.map((name) => `s.${name}`).join(", ")})`;

/** The rules for seals, in the form of verify-sql.ts. A run since the last seal compares that seal alone. */
export const sealStatements = (scope: VerifyScope, last: Seal | null): Readonly<Record<string, string>> => ({
	SEALS: sealsFrom(scope === "whole" ? 1 : (last?.seal ?? 1)),
	...(scope === "whole" && last !== null ? { SEALED_SUMS: sumsUpto(last.movesUpto) } : {}),
});
