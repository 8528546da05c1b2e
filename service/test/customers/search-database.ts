import pg from "pg";
import { copyOut } from "../../src/ground/pg/copy.ts";

/** What runs a statement: a pool, or one client. */
interface Query {
	query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<{ rows: R[] }>;
}

const SYSTEM = "n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and n.nspname not like 'pg_temp%'";

interface Column {
	readonly table: string;
	readonly name: string;
	readonly type: string;
}

/** Every column of every table with rows of its own, ours or not. */
async function columnsOf(db: Query): Promise<Column[]> {
	const { rows } = await db.query<Column>(
		`select c.oid::regclass::text as table, a.attname as name, format_type(a.atttypid, null) as type
		   from pg_class c join pg_namespace n on n.oid = c.relnamespace
		   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		  where c.relkind in ('r', 'm') and ${SYSTEM} order by 1, a.attnum`,
	);
	return rows;
}

/** Days of the log of requests have tables of their own, which count as one. */
const tableName = (table: string): string => table.replace(/_\d{8}$/, "");

/**
 * The columns of all tables, `table.column`, in which a text lies: as it is, or as the bytes of it. Also `pg_stats`, in
 * which the server keeps samples of values.
 */
export async function columnsWith(db: Query, text: string): Promise<string[]> {
	const found = new Set<string>();
	for (const [table, columns] of Map.groupBy(await columnsOf(db), (one) => one.table)) {
		const tests = columns.map(({ name, type }, n) => {
			const column = `"${name}"`;
			const test =
				type === "bytea" ? `position(convert_to($1, 'UTF8') in ${column}) > 0` : `strpos(${column}::text, $1) > 0`;
			return `bool_or(${test}) as c${n}`;
		});
		const { rows } = await db.query<Record<string, boolean | null>>(
			`select ${tests.join(", ")}, $1::text as sought from only ${table}`,
			[text],
		);
		for (const [n, { name }] of columns.entries()) if (rows[0]?.[`c${n}`]) found.add(`${tableName(table)}.${name}`);
	}
	const { rows } = await db.query<{ where: string }>(
		"select tablename || '.' || attname as where from pg_stats s where strpos(s::text, $1) > 0",
		[text],
	);
	for (const { where } of rows) found.add(`statistics of ${where}`);
	return [...found].toSorted();
}

/** The tables whose copy, as a backup or pg_dump writes it, has the text or the bytes of it. */
export async function copiesWith(url: string, text: string): Promise<string[]> {
	const found = new Set<string>();
	const sought = [Buffer.from(text), Buffer.from(Buffer.from(text).toString("hex"))];
	const client = new pg.Client(url);
	await client.connect();
	try {
		const tables = new Set((await columnsOf(client)).map(({ table }) => table));
		for (const from of tables) {
			// each piece ends with a row
			await copyOut(client, { from }, async (rows) => {
				if (sought.some((bytes) => rows.includes(bytes))) found.add(tableName(from));
			});
		}
	} finally {
		await client.end();
	}
	return [...found].toSorted();
}
