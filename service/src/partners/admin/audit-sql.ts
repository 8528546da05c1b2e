import type { ErrorCode } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";

/** One row of the audit log as its writer knows it; the database adds number, time and hashes. */
export interface AuditEntry {
	readonly actor: string;
	readonly via: "token" | "socket" | "session";
	/** The public half of the token or the id of the session; null: the socket, or a sign-in that failed. */
	readonly credential: string | null;
	readonly address: string;
	/** The id of the operation. */
	readonly operation: string;
	/** The name of the object that was written; null: unknown. */
	readonly about: string | null;
	/** The body with its secrets masked; null: it was never read. */
	readonly body: unknown;
	readonly status: number;
	/** The code of a refusal; null: the write was carried out. */
	readonly code: ErrorCode | null;
	readonly request_id: string;
}

/**
 * Appends a row. The statement locks the end of the log until the transaction ends, so it is the last statement of a
 * write.
 */
export const appendAudit = (tx: Query, entry: AuditEntry): Promise<unknown> =>
	tx.query("select audit_append($1::jsonb)", [JSON.stringify(entry)]);

/** A write that was carried out, as the history of an object shows it. */
export interface AuditedWrite {
	/** The name of the thing. */
	readonly about: string;
	readonly at: Date;
	readonly actor: string;
	readonly operation: string;
	readonly body: unknown;
}

/** The writes that were carried out on objects with these names, oldest first. */
export const selectWritesAbout = async (db: Query, things: readonly string[]): Promise<AuditedWrite[]> =>
	(
		await db.query<AuditedWrite>(
			`select about, at, actor, operation, body from audit_log where about = any($1::text[]) and status < 300 order by seq`,
			[things],
		)
	).rows;

/** Locks the end of the log: until the transaction ends, no other write of an operator commits. */
export const lockAudit = (tx: Query): Promise<unknown> => tx.query("select 1 from audit_head for update");

/** Seconds between two rows about writes with a token that has ended. */
const ENDED_EVERY_S = 60;

/** Whether a write with this ended token was recorded in the last minute. */
export async function wasEndedRecorded(tx: Query, { credential }: Pick<AuditEntry, "credential">): Promise<boolean> {
	const { rowCount } = await tx.query(
		`select 1 from audit_log where credential = $1 and code = 'unauthorized'
		    and at > clock_timestamp() - make_interval(secs => $2) limit 1`,
		[credential, ENDED_EVERY_S],
	);
	return rowCount === 1;
}
