import type { Query } from "../../ground/pg/connect.ts";
import type { DayHead, DaySeal } from "./audit-seal.ts";

const SEAL = `to_char(day, 'YYYY-MM-DD') as day, seq, hash, ring_id as "ringId", sealed`;
const DAY_OF_ROW = "(at at time zone 'UTC')::date";

/** Until the transaction ends, no row is appended to the log. */
export const lockAuditEnd = (tx: Query): Promise<unknown> => tx.query("select 1 from audit_head for update");

/** Every seal, the oldest first. */
export const selectSeals = async (db: Query): Promise<DaySeal[]> =>
	(await db.query<DaySeal>(`select ${SEAL} from audit_seal order by day`)).rows;

/** The last day that is over, by the clock of the database. */
export async function selectDayBefore(db: Query): Promise<string> {
	const { rows } = await db.query<{ day: string }>(
		"select to_char((clock_timestamp() at time zone 'UTC')::date - 1, 'YYYY-MM-DD') as day",
	);
	return rows[0]?.day ?? "";
}

/** The last row of each day, among the rows after number `after`, the oldest day first. */
export const selectDayEnds = async (db: Query, after: number): Promise<DayHead[]> =>
	(
		await db.query<DayHead>(
			`select distinct on (${DAY_OF_ROW}) to_char(${DAY_OF_ROW}, 'YYYY-MM-DD') as day, seq, hash
			   from audit_log where seq > $1 order by ${DAY_OF_ROW}, seq desc`,
			[after],
		)
	).rows;

export const insertSeals = (tx: Query, seals: readonly DaySeal[]): Promise<unknown> =>
	tx.query(
		`insert into audit_seal (day, seq, hash, ring_id, sealed)
		 select * from unnest($1::date[], $2::bigint[], $3::bytea[], $4::text[], $5::bytea[])`,
		[
			seals.map(({ day }) => day),
			seals.map(({ seq }) => seq),
			seals.map(({ hash }) => hash),
			seals.map(({ ringId }) => ringId),
			seals.map(({ sealed }) => sealed),
		],
	);

/** The oldest day whose last row is missing or has another hash than its seal. */
export const selectBrokenDay = async (db: Query): Promise<string | null> =>
	(
		await db.query<{ day: string }>(
			`select to_char(s.day, 'YYYY-MM-DD') as day from audit_seal s left join audit_log a using (seq)
			  where a.hash is distinct from s.hash order by s.day limit 1`,
		)
	).rows[0]?.day ?? null;

/** The day of a row; null: there is no such row. */
export const selectDayOfRow = async (db: Query, seq: number): Promise<string | null> =>
	(
		await db.query<{ day: string }>(
			`select to_char(${DAY_OF_ROW}, 'YYYY-MM-DD') as day from audit_log where seq = $1`,
			[seq],
		)
	).rows[0]?.day ?? null;
