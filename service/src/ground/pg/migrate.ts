import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type pg from "pg";
import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { ask, endClient, newClient, withClient } from "./client.ts";
import { isContractStep } from "./contracting.ts";
import { isConnectionLoss, isKeptFromLock } from "./faults.ts";
import { hasJobSchema, installJobSchema, JOB_SCHEMA } from "./job-schema.ts";
import { type MigrationWait, takeMigrationLock, watchBlockers } from "./migrate-lock.ts";

/** Folder of the migrations: plain SQL, append-only, in the order of their names. */
export const MIGRATIONS_DIR = join(import.meta.dirname, "../../../migrations");
/** Lists the migrations that a database has. */
export const MIGRATIONS_TABLE = "schema_migration";
/** Milliseconds that a start waits for another node's migration, and then for sessions that block its own. */
const WAIT_LIMIT_MS = 300_000;
/** Milliseconds that a statement waits for a table, while later statements, partners' included, queue behind it. */
const TABLE_LOCK_MS = 3_000;
/** Milliseconds between two attempts, so that others can proceed. */
const BREATH_MS = 1_000;
/** Milliseconds that one statement of a migration may run. */
const STATEMENT_LIMIT_MS = 3_600_000;
/** Milliseconds added to our own limit, so that the server's limit is reached first. */
const ANSWER_MARGIN_MS = 30_000;
/** Milliseconds until the server ends a migration whose node fell silent. */
const ABANDONED_AFTER_MS = 60_000;

/** A newer release took something away from the database that this build may use: it must not run on it. */
export class DatabaseIsNewer extends OperatorError {}

export interface MigrationState {
	readonly applied: readonly string[];
	readonly pending: readonly string[];
	/** Migrations of a newer release, which this build does not need. */
	readonly ahead: readonly string[];
}

/**
 * Which migrations the database has and which are pending. @throws DatabaseIsNewer if it has a contract step that this
 * build lacks
 */
export async function migrationState(url: string): Promise<MigrationState> {
	return await withClient(url, "holdfast start", async (client) => {
		const state = compare(await appliedNames(client), await migrationNames());
		return (await hasJobSchema(client))
			? { ...state, applied: [...state.applied, JOB_SCHEMA] }
			: { ...state, pending: [...state.pending, JOB_SCHEMA] };
	});
}

export interface MigrateOptions {
	/** Prints one line for the user at the terminal. */
	readonly say?: (line: string) => void;
	/** Cancels a wait; its reason is thrown. */
	readonly signal?: AbortSignal | undefined;
	/** Milliseconds to wait for others; five minutes by default. */
	readonly waitLimitMs?: number;
	/** Runs only the migrations in this list, and the jobs' own: for a backup created before the others existed. */
	readonly upTo?: readonly string[];
}

/**
 * Brings the database to this build's schema and returns the names it ran. All or nothing: every pending migration
 * runs in one transaction, and the jobs' migrations in another, under node-pg-migrate's advisory lock, so that any
 * number of nodes may start at the same time. @throws OperatorError if another session is in the way for too long
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
	const { say = () => undefined, signal, waitLimitMs: limitMs = WAIT_LIMIT_MS, upTo } = options;
	const state = await migrationState(url);
	if (state.ahead.length > 0)
		say(
			`The database was migrated by a newer Holdfast. This one runs without what it added: ${state.ahead.join(", ")}.`,
		);
	if (state.pending.length === 0) return []; // the usual start, which need not load the migration library
	const count = upTo === undefined ? undefined : state.pending.filter((name) => upTo.includes(name)).length;
	const giveUpAt = monotonicMs() + limitMs;
	while (true) {
		signal?.throwIfAborted();
		const outcome = await migrateOnce(url, { say, signal, limitMs }, count);
		if (!("blocker" in outcome)) return outcome;
		const { blocker } = outcome;
		if (monotonicMs() > giveUpAt) {
			throw new OperatorError(
				`The database was not migrated, and nothing was changed: ${blocker} has blocked the migration for ${Math.round(limitMs / 1_000)} s. End that session (select pg_terminate_backend(<process>)) or wait for it, and start again.`,
			);
		}
		say(`The migration is blocked by ${blocker}: it lets other sessions pass and tries again.`);
		await wait(BREATH_MS);
	}
}

/** Preloads the migration libraries during the setup of a database. A failure is reported when they are used. */
export function loadMigrationLibraries(): void {
	Promise.all([import("node-pg-migrate"), import("graphile-worker")]).catch(() => undefined);
}

/** One attempt: returns the names it ran, or the session that blocked it. */
async function migrateOnce(
	url: string,
	waiting: MigrationWait,
	count: number | undefined,
): Promise<string[] | { readonly blocker: string }> {
	const client = newClient(url, "holdfast migrate", STATEMENT_LIMIT_MS + ANSWER_MARGIN_MS);
	try {
		await client.connect();
		await takeMigrationLock(client, waiting);
		const [row] = await ask<{ pid: number }>(client, "select pg_backend_pid() as pid");
		const blockers = watchBlockers(url, row?.pid ?? 0);
		try {
			return [...(await runPending(client, count)), ...(await runPendingOfJobs(client, url))];
		} catch (error) {
			if (isKeptFromLock(error)) return { blocker: blockers.last() ?? "a session that could not be identified" };
			throw error;
		} finally {
			await blockers.stop();
		}
	} finally {
		await endClient(client); // also releases the lock
	}
}

async function runPending(client: pg.Client, count: number | undefined): Promise<string[]> {
	if (count === 0) return [];
	const { runner } = await import("node-pg-migrate");
	let detail = "";
	const silent = (): void => undefined;
	await ask(
		client,
		`set lock_timeout = ${TABLE_LOCK_MS}; set statement_timeout = ${STATEMENT_LIMIT_MS}; set idle_in_transaction_session_timeout = ${ABANDONED_AFTER_MS}`,
	);
	try {
		const ran = await runner({
			dbClient: client,
			dir: MIGRATIONS_DIR,
			migrationsTable: MIGRATIONS_TABLE,
			direction: "up",
			...(count === undefined ? {} : { count }),
			singleTransaction: true,
			noLock: true, // already taken
			logger: {
				debug: silent,
				info: silent,
				warn: silent,
				error: (message: string) => {
					detail = message;
				},
			},
		});
		return ran.map(({ name }) => name);
	} catch (cause) {
		throw isKeptFromLock(cause) ? cause : failed(detail.trim() || (cause as Error).message, cause);
	}
}

/** Runs the jobs' own migrations, after ours and under the same lock. */
async function runPendingOfJobs(client: pg.Client, url: string): Promise<string[]> {
	if (await hasJobSchema(client)) return [];
	try {
		await installJobSchema(client, url);
		return [JOB_SCHEMA];
	} catch (cause) {
		const state = "The migration of the job tables failed; all other migrations are done";
		throw isKeptFromLock(cause) ? cause : failed((cause as Error).message, cause, state);
	}
}

function failed(detail: string, cause: unknown, state = "The migration failed and nothing was changed"): Error {
	if (isConnectionLoss(cause)) {
		// COMMIT may have been sent before the loss, so the outcome is unknown
		return new OperatorError(
			`The connection to the database was lost during the migration (${detail}). Start again: a start runs the migrations that are missing, and none twice.`,
			{ cause },
		);
	}
	if (/permission denied/.test(detail)) {
		return new OperatorError(
			`${state}: ${detail.split("\n", 1)[0]}. The role in HOLDFAST_DATABASE_URL needs the privilege CREATE on the database and on its schema public: grant both, or make the role the owner of the database.`,
			{ cause },
		);
	}
	return new Error(`${state}. ${detail}`, { cause });
}

/** Names of all migrations of this build, in order. */
export async function migrationNames(): Promise<string[]> {
	const files = await readdir(MIGRATIONS_DIR);
	return files
		.filter((file) => file.endsWith(".sql"))
		.map((file) => basename(file, ".sql"))
		.toSorted();
}

async function appliedNames(client: pg.Client): Promise<string[]> {
	// checked first, so that a first start leaves no error in the server's log
	const { rows: there } = await client.query<{ found: boolean }>("select to_regclass($1) is not null as found", [
		MIGRATIONS_TABLE,
	]);
	if (!there[0]?.found) return [];
	const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by id`);
	return rows.map(({ name }) => name);
}

/** Sorts the migrations of a database: see docs/decisions/0103. */
export function compare(applied: readonly string[], known: readonly string[]): MigrationState {
	const ahead = applied.filter((name) => !known.includes(name));
	const contracts = ahead.filter(isContractStep);
	if (contracts.length > 0) {
		throw new DatabaseIsNewer(
			`The database was migrated by a newer Holdfast, which took away what this one may use (${contracts.join(", ")}). Run that version, or restore a backup made before it.`,
		);
	}
	return {
		applied: applied.filter((name) => known.includes(name)),
		pending: known.filter((name) => !applied.includes(name)),
		ahead,
	};
}
