import type { Query } from "../../ground/pg/connect.ts";

/** The partitioned tables of the log, one for each retention. */
export const PARENTS = { live: "request_log_live", sandbox: "request_log_sandbox" } as const;
export type LogPart = keyof typeof PARENTS;

/** One day of one of them. */
export interface LogDay {
	readonly part: LogPart;
	/** `YYYY-MM-DD`, in UTC. */
	readonly day: string;
}

const nameOf = ({ part, day }: LogDay): string => `${PARENTS[part]}_${day.replaceAll("-", "")}`;

/** Serializes the nodes that create and drop days. */
const LOCK = "pg_advisory_xact_lock(hashtext('holdfast request_log'))";

/**
 * Creates a partition for a day unless there is one. It is created as a separate table and then attached, which waits
 * for nobody who reads or writes the log.
 */
export async function insertDay(tx: Query, one: LogDay): Promise<void> {
	await tx.query(`select ${LOCK}`);
	const name = nameOf(one);
	const { rows } = await tx.query("select 1 from pg_class where oid = to_regclass($1)", [name]);
	if (rows.length > 0) return;
	await tx.query(`create table ${name} (like ${PARENTS[one.part]} including all)`);
	// so that the server keeps no samples of the texts when they are erased (docs/decisions/0100)
	await tx.query(`alter table ${name} alter column requests set statistics 0`);
	await tx.query(
		`alter table ${PARENTS[one.part]} attach partition ${name}
		   for values from ('${one.day} 00:00:00+00') to ('${one.day} 24:00:00+00')`,
	);
}

/** A day that exists, and what is left to do before it can be dropped. */
export interface StoredDay extends LogDay {
	readonly state: "attached" | "pending" | "detached";
}

/** Every day of the log, even one that is no longer part of it because a node stopped while dropping it. */
export async function selectDays(db: Query): Promise<StoredDay[]> {
	const { rows } = await db.query<StoredDay>(
		`select p.part, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day,
		        case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'pending' else 'attached' end as state
		   from (values ('live', '${PARENTS.live}'), ('sandbox', '${PARENTS.sandbox}')) p(part, parent)
		   join pg_class c on c.relkind = 'r' and c.relname ~ ('^' || p.parent || '_[0-9]{8}$')
		    and c.relnamespace = (select relnamespace from pg_class where oid = to_regclass(p.parent))
		   left join pg_inherits i on i.inhrelid = c.oid
		  order by 2, 1`,
	);
	return rows;
}

/**
 * Lets only one node drop days at a time. `work` runs on the connection that has the lock; null: another node has it.
 */
export async function aloneDropping<T>(client: Query, work: () => Promise<T>): Promise<T | null> {
	const { rows } = await client.query<{ got: boolean }>(
		"select pg_try_advisory_lock(hashtext('holdfast request_log days')) as got",
	);
	if (rows[0]?.got !== true) return null;
	try {
		return await work();
	} finally {
		await client.query("select pg_advisory_unlock(hashtext('holdfast request_log days'))");
	}
}

/** Takes a day out of the log and drops it. The log stays readable and writable in the meantime. */
export async function dropDay(db: Query, one: StoredDay): Promise<void> {
	const name = nameOf(one);
	const detach = `alter table ${PARENTS[one.part]} detach partition ${name}`;
	if (one.state === "attached") await db.query(`${detach} concurrently`);
	if (one.state === "pending") await db.query(`${detach} finalize`);
	await db.query(`drop table ${name}`);
}
