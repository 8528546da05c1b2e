import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import pg from "pg";
import { OperatorError } from "../lib/operator-error.ts";

/** Where the migrations live: plain SQL, append-only, in the order of their names. */
export const MIGRATIONS_DIR = join(import.meta.dirname, "../../migrations");
const MIGRATIONS_TABLE = "schema_migration";

/** The database has seen migrations this build does not know: an older build must not run on it. */
export class DatabaseIsNewer extends OperatorError {}

export interface MigrationState {
	readonly applied: readonly string[];
	readonly pending: readonly string[];
}

/** Which migrations the database has and which are missing. Throws DatabaseIsNewer when it has some this build lacks. */
export async function migrationState(url: string): Promise<MigrationState> {
	const client = new pg.Client(url);
	await client.connect();
	try {
		return compare(await appliedNames(client), await migrationNames());
	} finally {
		await client.end();
	}
}

/**
 * Brings the database to this build's schema and returns the names it ran. All or nothing: every pending migration runs in one
 * transaction under node-pg-migrate's advisory lock, so that any number of nodes may start at once.
 */
export async function migrate(url: string): Promise<string[]> {
	const state = await migrationState(url);
	if (state.pending.length === 0) return []; // the usual start: no need to load the migration library
	const { runner } = await import("node-pg-migrate");
	let detail = "";
	try {
		const ran = await runner({
			databaseUrl: url,
			dir: MIGRATIONS_DIR,
			migrationsTable: MIGRATIONS_TABLE,
			direction: "up",
			singleTransaction: true,
			advisoryLockMode: "wait",
			logger: {
				debug: () => undefined,
				info: () => undefined,
				warn: () => undefined,
				error: (message: string) => {
					detail = message;
				},
			},
		});
		return ran.map(({ name }) => name);
	} catch (cause) {
		throw new Error(`The migration failed and nothing was changed. ${detail.trim() || (cause as Error).message}`, {
			cause,
		});
	}
}

async function migrationNames(): Promise<string[]> {
	const files = await readdir(MIGRATIONS_DIR);
	return files
		.filter((file) => file.endsWith(".sql"))
		.map((file) => basename(file, ".sql"))
		.toSorted();
}

async function appliedNames(client: pg.Client): Promise<string[]> {
	// asked first, so that a first start leaves no error in the server's log
	const { rows: there } = await client.query<{ found: boolean }>("select to_regclass($1) is not null as found", [
		MIGRATIONS_TABLE,
	]);
	if (!there[0]?.found) return [];
	const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by id`);
	return rows.map(({ name }) => name);
}

function compare(applied: string[], known: string[]): MigrationState {
	const unknown = applied.filter((name) => !known.includes(name));
	if (unknown.length > 0) {
		throw new DatabaseIsNewer(
			`The database was migrated by a newer Holdfast (it has ${unknown.join(", ")}). Run that version, or restore a backup made before it.`,
		);
	}
	return { applied, pending: known.filter((name) => !applied.includes(name)) };
}
