import { must } from "../src/ground/lib/assert.ts";
import type { Query } from "../src/ground/pg/connect.ts";

/** The names of a table's columns, with commas, but for those that the database works out. */
export async function writtenColumns(db: Query, table: string): Promise<string> {
	const { rows } = await db.query<{ names: string }>(
		`select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
		  where table_name = $1 and is_generated = 'NEVER'`,
		[table],
	);
	return must(rows[0], "the columns").names;
}
