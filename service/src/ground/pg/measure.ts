import type { Query } from "./connect.ts";
import { MIGRATIONS_TABLE } from "./migrate.ts";

/** Facts about the database itself. */
export interface DatabaseFacts {
	/** Size of the files of this database, without the WAL. */
	readonly bytes: number;
	/** The name of its last migration. */
	readonly schema: string;
}

export async function measureDatabase(db: Query): Promise<DatabaseFacts> {
	const { rows } = await db.query<DatabaseFacts>(
		`select pg_database_size(current_database())::float8 as bytes,
		        coalesce((select max(name) from ${MIGRATIONS_TABLE}), '') as schema`,
	);
	return rows[0] ?? { bytes: 0, schema: "" };
}
