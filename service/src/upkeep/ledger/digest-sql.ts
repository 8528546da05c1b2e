import type { Query } from "../../ground/pg/connect.ts";
import type { Seal } from "./seal-sql.ts";

/** Hours after which no row with a lower number can still be committed: none of our transactions lasts that long. */
const SETTLED_AFTER_HOURS = 24;

/** What each digest covers: the table, and the text of a row's immutable columns, the same on every server. */
const DIGESTED = {
	move: {
		table: "unit_move",
		at: "at",
		text: `concat_ws('|', seq, extract(epoch from at), fg_id, from_bucket, to_bucket, units, actor, cause, coalesce(cause_id, ''), coalesce(request_id, ''), reservation_token)`, // null: as before this column existed
		where: "true",
	},
	event: {
		table: "event",
		at: "created_at",
		text: `concat_ws('|', seq, event_id, partner_id, environment, type, order_id, extract(epoch from created_at))`,
		where: "order_id is not null", // test events have no order, and are deleted after their retention
	},
} as const;
export type DigestedKind = keyof typeof DIGESTED;
export const DIGESTED_KINDS = Object.keys(DIGESTED) as DigestedKind[];

/** Digests the next rows of a kind, at most `most`. Returns how many; 0 if none is old enough. */
export async function digestNext(db: Query, kind: DigestedKind, most: number): Promise<number> {
	const { table, at, text, where } = DIGESTED[kind];
	const { rows } = await db.query<{ rows: number }>(
		`insert into history_digest (kind, after, upto, rows, digest)
		 with last as materialized (select coalesce(max(upto), 0) as upto from history_digest where kind = $1),
		 next as materialized (
		   select seq, ${at} as at, ${text} as text from ${table}
		    where seq > (select upto from last) and ${where} order by seq limit $2),
		 old as (
		   select * from next
		    where seq < coalesce((select min(seq) from next where at >= now() - interval '${SETTLED_AFTER_HOURS} hours'), 9223372036854775807))
		 select $1, (select upto from last), max(seq), count(*), sum(digest_of(text)) from old having count(*) > 0
		 on conflict do nothing returning rows`,
		[kind, most],
	);
	return rows[0]?.rows ?? 0;
}

/**
 * Compares every digest of rows above `from` with its rows, in the form of verify-sql.ts. Looks up the digest of each
 * row, so that every row is read once.
 */
const digestsOf = (kind: DigestedKind, from: number): string => {
	const { table, text, where } = DIGESTED[kind];
	const digests = `history_digest where kind = '${kind}' and after >= ${from}`;
	return `
select 'history-digest', '${table} ' || s.after + 1 || ' to ' || s.upto, s.rows || ' rows, digest ' || s.digest,
       coalesce(f.rows, 0) || ' rows, digest ' || coalesce(f.digest, 0)
  from (select *, row_number() over (order by after) - 1 as run, lag(upto, 1, ${from}::bigint) over (order by after) as before from ${digests}) s
  left join (
    select width_bucket(seq - 1, (select array_agg(upto order by upto) from ${digests})) as run,
           count(*) as rows, sum(digest_of(${text})) as digest
      from ${table}
     where ${where} and seq > ${from} and seq <= (select max(upto) from ${digests}) group by 1) f using (run)
 where s.after <> s.before or f.rows is distinct from s.rows or f.digest is distinct from s.digest`;
};

const LABELS = `
select 'lot-label', 'lot ' || fg_id, 'the batch number, the days, the formula and the pool that it came with', 'others'
  from lot
 where label_digest is distinct from label_digest(fg_id, formula_id, pool_id, batch_number, expires_on, received_on)`;

/** `seal`: what it covers is not compared again; null: everything is compared. */
export const digestStatements = (seal: Seal | null): { readonly DIGESTS: string; readonly LABELS: string } => ({
	DIGESTS: `${digestsOf("move", seal?.movesUpto ?? 0)}
union all${digestsOf("event", seal?.eventsUpto ?? 0)}`,
	LABELS,
});
