import type { Query } from "../../ground/pg/connect.ts";
import type { AuditEntry } from "../admin/audit-sql.ts";

/** A row of the audit log as operators read it. */
export interface AuditRow extends Omit<AuditEntry, "request_id"> {
	readonly seq: number;
	readonly at: Date;
	readonly requestId: string;
}

export interface AuditFilters {
	readonly actor?: string | undefined;
	readonly operation?: string | undefined;
	readonly about?: string | undefined;
}

/** A page of the log, newest first. `before`: a number; null: from the end. */
export const selectAuditPage = (
	db: Query,
	{ actor, operation, about }: AuditFilters,
	before: number | null,
	limit: number,
) =>
	db.query<AuditRow>(
		`select seq, at, actor, via, credential, address, operation, about, body, status, code, request_id as "requestId"
		   from audit_log
		  where ($1::bigint is null or seq < $1) and ($2::text is null or actor = $2)
		    and ($3::text is null or operation = $3) and ($4::text is null or about = $4)
		  order by seq desc limit $5`,
		[before, actor ?? null, operation ?? null, about ?? null, limit],
	);

/** The result of checking a section of the chain: its end, its last hash, and its first wrong row. */
export interface ChainStretch {
	readonly rows: number;
	readonly last: number;
	readonly hash: Buffer;
	/** Null: every row follows from the one before it. */
	readonly broken: number | null;
}

/**
 * Checks up to `limit` rows after number `after`, whose hash is `hash`: their numbers have no gaps, and each row has
 * the hash of the previous row and the hash of its own columns. Null: there are no such rows.
 */
export async function checkChain(db: Query, after: number, hash: Buffer, limit: number): Promise<ChainStretch | null> {
	const { rows } = await db.query<ChainStretch>(
		`with stretch as materialized (
		   select a.seq, a.hash, a.previous, audit_hash(a) as right_hash,
		          lag(a.hash, 1, $2::bytea) over w as before, lag(a.seq, 1, $1::bigint) over w as number_before
		     from audit_log a where a.seq > $1 window w as (order by a.seq) order by a.seq limit $3)
		 select count(*)::int as rows, max(seq) as last, (select hash from stretch order by seq desc limit 1) as hash,
		        min(case when number_before + 1 <> seq then number_before + 1
		                 when previous <> before or hash <> right_hash then seq end) as broken
		   from stretch having count(*) > 0`,
		[after, hash, limit],
	);
	return rows[0] ?? null;
}

/** The number and hash of the last row that was appended, and the hash that the first row follows. */
export async function selectAuditHead(db: Query): Promise<{ seq: number; hash: Buffer; first: Buffer }> {
	const { rows } = await db.query<{ seq: number; hash: Buffer; first: Buffer }>(
		"select seq, hash, sha256('holdfast audit log') as first from audit_head",
	);
	return rows[0] ?? { seq: -1, hash: Buffer.alloc(0), first: Buffer.alloc(0) };
}
