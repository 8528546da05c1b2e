import type { Query } from "./connect.ts";
import { MIGRATIONS_TABLE } from "./migrate.ts";

/** What the database itself weighs. */
export interface DatabaseFacts {
	/** Of the files of this database, its log not included. */
	readonly bytes: number;
	/** The last migration that it has. */
	readonly schema: string;
}

export async function measureDatabase(db: Query): Promise<DatabaseFacts> {
	const { rows } = await db.query<DatabaseFacts>(
		`select pg_database_size(current_database())::float8 as bytes,
		        coalesce((select max(name) from ${MIGRATIONS_TABLE}), '') as schema`,
	);
	return rows[0] ?? { bytes: 0, schema: "" };
}
