import type { Query } from "../../ground/pg/connect.ts";
import { epochMs, NOW_MS } from "../../ground/pg/query.ts";
import { KEEP_SESSION_DAYS, MAX_SESSIONS, SESSION_HOURS } from "./limits.ts";
import type { SessionRow } from "./person.ts";
import type { LiveSession } from "./session.ts";

const COLUMNS = `s.session_id as "sessionId", s.person_id as "personId", s.address, s.user_agent as "userAgent",
	${epochMs("s.created_at")} as "createdAt", ${epochMs("s.seen_at")} as "seenAt", ${epochMs("s.ended_at")} as "endedAt"`;

/** Every session that has not ended, with the database's time. */
export async function selectLiveSessions(db: Query): Promise<{ nowMs: number; rows: LiveSession[] }> {
	const { rows } = await db.query<{ now: number } & LiveSession>(
		`select ${NOW_MS} as now, t.* from (values (1)) one left join (
		   select ${COLUMNS}, s.digest, p.name, p.role, p.state, s.by_provider or exists (
		            select 1 from operator_factor f where f.person_id = p.person_id and f.confirmed_at is not null) as "hasFactor"
		     from operator_session s join operator_person p using (person_id)
		    where s.ended_at is null and s.created_at > clock_timestamp() - make_interval(hours => $1)) t on true`,
		[SESSION_HOURS],
	);
	return { nowMs: rows[0]?.now ?? 0, rows: rows.filter(({ sessionId }) => sessionId !== null) };
}

/** A session that is refused, and its person. */
export type PastSession = Pick<LiveSession, "sessionId" | "name" | "role">;

/** The sessions with these digests, ended or not, in this order; null: there is none, or it was forgotten. */
export async function selectPastSessions(db: Query, digests: readonly Buffer[]): Promise<(PastSession | null)[]> {
	const { rows } = await db.query<PastSession | { readonly sessionId: null }>(
		`select s.session_id as "sessionId", p.name, p.role
		   from unnest($1::bytea[]) with ordinality d (digest, n)
		   left join operator_session s using (digest) left join operator_person p using (person_id) order by d.n`,
		[digests],
	);
	return rows.map((row) => (row.sessionId === null ? null : row));
}

/** A person's sessions that have not ended, newest first. `before`: only those before this one; null: all. */
export const selectSessionsOf = (db: Query, personId: string, before: string | null, limit: number) =>
	db.query<SessionRow>(
		`select ${COLUMNS} from operator_session s where s.person_id = $1 and s.ended_at is null
		    and s.created_at > clock_timestamp() - make_interval(hours => $2) and ($3::uuid is null or s.session_id < $3)
		  order by s.session_id desc limit $4`,
		[personId, SESSION_HOURS, before, limit],
	);

/** A session of a person, ended or not; null: the person has none with this id. */
export const selectSession = async (db: Query, personId: string, sessionId: string): Promise<SessionRow | null> =>
	(
		await db.query<SessionRow>(
			`select ${COLUMNS} from operator_session s where s.person_id = $1 and s.session_id = $2`,
			[personId, sessionId],
		)
	).rows[0] ?? null;

export interface NewSession {
	readonly sessionId: string;
	readonly digest: Buffer;
	readonly personId: string;
	readonly address: string;
	readonly userAgent: string;
	/** Begun at a provider, which itself decides what it asks for. */
	readonly byProvider: boolean;
	/** The session that it goes on with, whose sign-in is its own; null: there was a sign-in. */
	readonly insteadOf: string | null;
}

/** Ends the oldest sessions of a person who has as many as are allowed. */
export async function insertSession(tx: Query, session: NewSession): Promise<void> {
	const { sessionId, digest, personId, address, userAgent, byProvider, insteadOf } = session;
	await tx.query(
		`update operator_session set ended_at = clock_timestamp() where session_id in (
		   select session_id from operator_session where person_id = $1 and ended_at is null
		    order by created_at desc offset $2)`,
		[personId, MAX_SESSIONS - 1],
	);
	await tx.query(
		`insert into operator_session (session_id, digest, person_id, address, user_agent, by_provider, created_at)
		 select $1, $2, $3, $4, $5, coalesce(before.by_provider, $6), coalesce(before.created_at, clock_timestamp())
		   from (values (1)) one left join operator_session before on before.session_id = $7`,
		[sessionId, digest, personId, address, userAgent, byProvider, insteadOf],
	);
}

/** Ends one session of a person. Returns it as it was; null: the person has no such session that has not ended. */
export async function endSession(tx: Query, personId: string, sessionId: string): Promise<SessionRow | null> {
	const { rows } = await tx.query<SessionRow>(
		`update operator_session s set ended_at = clock_timestamp()
		  where session_id = $2 and person_id = $1 and ended_at is null returning ${COLUMNS}`,
		[personId, sessionId],
	);
	return rows[0] ?? null;
}

/** Ends every session of a person. Returns their number. */
export async function endSessionsOf(tx: Query, personId: string): Promise<number> {
	const { rowCount } = await tx.query(
		"update operator_session set ended_at = clock_timestamp() where person_id = $1 and ended_at is null",
		[personId],
	);
	return rowCount ?? 0;
}

/** Ends the sessions that a person began with a password alone, but for one. */
export const endOtherSessionsOf = (tx: Query, personId: string, keptId: string | null): Promise<unknown> =>
	tx.query(
		`update operator_session set ended_at = clock_timestamp()
		  where person_id = $1 and ended_at is null and not by_provider and session_id is distinct from $2`,
		[personId, keptId],
	);

/** Records that a session was used just now. */
export const touchSession = (db: Query, sessionId: string): Promise<unknown> =>
	db.query("update operator_session set seen_at = clock_timestamp() where session_id = $1 and ended_at is null", [
		sessionId,
	]);

export const forgetSessions = (db: Query): Promise<unknown> =>
	db.query(
		"delete from operator_session where coalesce(ended_at, created_at) < clock_timestamp() - make_interval(days => $1)",
		[KEEP_SESSION_DAYS],
	);
