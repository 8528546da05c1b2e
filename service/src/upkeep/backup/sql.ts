import { JOBS_TABLE } from "../../ground/jobs/private-tables-sql.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { READ_NOW } from "../../ground/pg/replayed.ts";

/**
 * Settings of a session that reads or writes rows as text: the same formats on every server, and no time limits except
 * ours.
 */
export const PREPARE_SESSION = `set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex';
	set client_encoding = 'UTF8'; set timezone = 'UTC'; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0;
	set client_connection_check_interval = '1s'`;

export const setLockTimeout = (ms: number): string => `set lock_timeout = '${ms}ms'`;

export const BEGIN_SNAPSHOT = "begin isolation level repeatable read, read only";
export const BEGIN_LOAD = "begin isolation level read committed";

/** Locks the tables before the snapshot is taken: a table that is rewritten after it would look empty. */
export const lockShared = (tables: readonly string[]): string =>
	`lock table ${tables.map(quoted).join(", ")}, ${JOBS_TABLE} in access share mode`;

/** Locks the tables against all reads and writes until the load has ended. */
export const lockAlone = (tables: readonly string[]): string =>
	`lock table ${tables.map(quoted).join(", ")} in access exclusive mode`;

const quoted = (name: string): string => `"${name}"`;

export interface TableColumns {
	readonly table: string;
	readonly columns: string[];
}

/** The stored columns (generated ones excluded) of all ordinary tables except `graphile_worker`'s. */
export const selectColumns = (db: Query) =>
	db.query<TableColumns>(
		`select c.relname as "table", array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		               and a.attgenerated = '' order by a.attnum) as columns
		   from pg_class c
		  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = (
		        select relnamespace from pg_class where oid = to_regclass('schema_migration'))
		  order by c.relname`,
	);

export const selectSnapshotFacts = (db: Query) =>
	db.query<{ at: Date; postgres: string }>(
		`select case when pg_is_in_recovery() then ${READ_NOW} else clock_timestamp() end as at,
		         current_setting('server_version') as postgres from schema_migration limit 1`,
	);

export const selectMigrations = (db: Query) =>
	db.query<{ name: string }>("select name from schema_migration order by id");

/** The sequences of our tables. Read after the snapshot is taken, so that they are not behind its rows. */
export const selectSequences = (db: Query) =>
	db.query<{ name: string; last: number; used: boolean }>(
		`select s.sequencename as name, coalesce(s.last_value, s.start_value)::float8 as last, s.last_value is not null as used
		   from pg_sequences s
		   join pg_class c on c.relname = s.sequencename and c.relkind = 'S' and c.relnamespace = s.schemaname::regnamespace
		   join pg_depend d on d.objid = c.oid and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass
		   join pg_class t on t.oid = d.refobjid
		  where t.relnamespace = (select relnamespace from pg_class where oid = to_regclass('schema_migration'))
		    and t.relname <> 'schema_migration'
		  order by s.sequencename`,
	);

export const setSequences = (db: Query, names: readonly string[], last: readonly number[], used: readonly boolean[]) =>
	db.query(
		`select setval(quote_ident(name)::regclass, last::bigint, used)
		   from unnest($1::text[], $2::float8[], $3::boolean[]) s(name, last, used)`,
		[names, last, used],
	);

/** The tables that have rows. One statement for all of them, because a table name cannot be a parameter. */
export const selectFilled = (db: Query, tables: readonly string[]) =>
	db.query<{ name: string }>(
		tables.map((name) => `select '${name}' as name where exists (select from ${quoted(name)})`).join(" union all "),
	);

/** Brands that no migration creates. */
export const selectOwnPools = (db: Query) =>
	db.query<{ code: string }>("select brand_code as code from pool where pool_id > 1 limit 1");

export const deleteRows = (table: string): string => `delete from ${quoted(table)}`;
export const analyze = (tables: readonly string[]): string => `analyze ${tables.map(quoted).join(", ")}`;
