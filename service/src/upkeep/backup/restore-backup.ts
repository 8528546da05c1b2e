import type pg from "pg";
import { ADD_JOBS, CREATE_JOB_TABLE, JOB_COLUMNS, JOB_TABLE } from "../../ground/jobs/carried-jobs-sql.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { quotedCommand } from "../../ground/lib/typed-command.ts";
import { endClient, newClient } from "../../ground/pg/client.ts";
import { commit } from "../../ground/pg/commit.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { copyIn } from "../../ground/pg/copy.ts";
import { isLockTimeout, sqlStateOf } from "../../ground/pg/faults.ts";
import { damaged, FILES_FOLDER, JOBS_FOLDER, KEY_RING_ENTRY, tableOf } from "./manifest.ts";
import { type OpenArchive, rowsOf } from "./open-archive.ts";
import { type RenewOptions, renewHistory } from "./renew-history.ts";
import type { ArchiveReport } from "./report.ts";
import * as sql from "./sql.ts";
import { CARRIED, LEFT, SEEDED, WRITTEN_BY_ANYONE, WRITTEN_BY_TRIGGERS } from "./tables.ts";
import type { FileKeeper } from "./write-backup.ts";

/** Milliseconds to wait for locks held by other sessions of the database. */
const LOCK_WAIT_MS = 10_000;
/** Classes of SQLSTATE: feature not supported, data, integrity, names, program limits, errors raised by a trigger. */
const FAULTS_OF_VALUES = /^(0A|22|23|42|54|P0)/;
/** Maximum number of files that an error names when they cannot be removed. */
const FILES_NAMED = 20;

export interface RestoreSettings extends RenewOptions {
	readonly files: FileKeeper;
	/**
	 * Called last, before the commit, with the archive's key ring, which is still encrypted. If it throws, the database
	 * stays empty.
	 */
	readonly takeKeyRing: (sealed: string) => Promise<void>;
	/** Called with the size of each entry after it was loaded. */
	readonly onBytes: (more: number) => void;
}

export interface LoadedBackup extends Pick<ArchiveReport, "rows" | "holds" | "moves" | "jobs" | "files"> {
	/** Endpoints that were made inactive; null if that was not requested. */
	readonly webhooksStopped: number | null;
}

/**
 * Loads an archive into an empty database that has the archive's schema, in one transaction: a damaged archive, or any
 * failure, leaves the database empty. Renews everything that callers may remember from the time after the backup
 * (docs/decisions/0050). @throws OperatorError
 */
export async function restoreBackup(
	url: string,
	archive: OpenArchive,
	settings: RestoreSettings,
): Promise<LoadedBackup> {
	const client = newClient(url, "holdfast restore", 0);
	const newFiles: string[] = [];
	try {
		await client.connect();
		await client.query(sql.PREPARE_SESSION);
		await client.query(sql.setLockTimeout(LOCK_WAIT_MS));
		await client.query(sql.BEGIN_LOAD);
		await takeEmptyTables(client as unknown as Query, archive);
		const restored = await load(client, archive, settings, newFiles).catch(async (error: unknown) => {
			await takeAway(settings.files, newFiles, error);
			throw error;
		});
		await finishLoad(client);
		return restored;
	} finally {
		await endClient(client); // rolls back anything uncommitted
	}
}

/** Removes the files that a refused archive added. @throws OperatorError when they cannot be removed */
async function takeAway(files: FileKeeper, digests: readonly string[], why: unknown): Promise<void> {
	await files.remove(digests).catch((cause: Error) => {
		throw new OperatorError(
			`${(why as Error).message} But ${digests.length} of its files are already in the file store and could not be removed (${cause.message}): ${digests.slice(0, FILES_NAMED).join(", ")}${digests.length > FILES_NAMED ? ", …" : ""}.`,
			{ cause: why },
		);
	});
}

/**
 * Runs a statement with values from the archive; a value that the database rejects is reported as damage to the
 * archive.
 */
async function accepted<T>(what: string, statement: () => Promise<T>): Promise<T> {
	try {
		return await statement();
	} catch (error) {
		if (!FAULTS_OF_VALUES.test(sqlStateOf(error) ?? "")) throw error;
		throw damaged(`the database does not accept ${what}: ${(error as Error).message}`);
	}
}

/** Locks the tables against all other sessions. @throws OperatorError when any of them has rows */
async function takeEmptyTables(tx: Query, { facts }: OpenArchive): Promise<void> {
	const there = new Map((await sql.selectColumns(tx)).rows.map(({ table, columns }) => [table, columns]));
	const seen = new Set<string>();
	for (const { name, columns } of facts.tables) {
		if (seen.has(name) || Object.hasOwn(LEFT, name))
			throw damaged(`its table ${name} belongs in no backup, or is listed twice`);
		seen.add(name);
		const strange = columns.find((column) => !there.get(name)?.includes(column));
		if (strange !== undefined) throw damaged(`none of its migrations creates ${name}.${strange}`);
	}
	const sequences = new Set((await sql.selectSequences(tx)).rows.map(({ name }) => name));
	const foreign = facts.sequences.find(({ name }) => !sequences.has(name));
	if (foreign !== undefined) throw damaged(`none of its migrations creates the sequence ${foreign.name}`);
	const tables = facts.tables.map(({ name }) => name);
	await tx.query(sql.lockAlone(tables)).catch((error: unknown) => {
		if (!isLockTimeout(error)) throw error;
		throw new OperatorError("This database is in use: stop every Holdfast service on it, and try again.", {
			cause: error,
		});
	});
	const fixed = tables.filter((name) => !SEEDED.includes(name) && !WRITTEN_BY_ANYONE.includes(name));
	const filled = (await sql.selectFilled(tx, fixed)).rows.map(({ name }) => name);
	const pools = (await sql.selectOwnPools(tx)).rows;
	if (filled.length === 0 && pools.length === 0) return;
	throw new OperatorError(
		`This database is not empty (there are rows in ${[...filled, ...(pools.length > 0 ? ["pool"] : [])].join(", ")}): a backup can be restored only into an empty one. Name another with HOLDFAST_DATA_DIR or HOLDFAST_DATABASE_URL. Nothing was changed.`,
	);
}

/** Adds to `newFiles` the files that did not exist before. */
async function load(
	client: pg.Client,
	archive: OpenArchive,
	settings: RestoreSettings,
	newFiles: string[],
): Promise<LoadedBackup> {
	const tx = client as unknown as Query;
	const columnsOf = new Map(archive.facts.tables.map(({ name, columns }) => [name, columns]));
	const rows = new Map<string, number>();
	let [jobs, files] = [0, 0];
	let keyRing: string | null = null;
	await tx.query(CREATE_JOB_TABLE);
	for await (const entry of archive.entries()) {
		const { name } = entry;
		const table = tableOf(name);
		if ("content" in entry) {
			const digest = name.slice(FILES_FOLDER.length);
			if (await settings.files.put({ digest, size: entry.size }, entry.content)) newFiles.push(digest);
			files++;
		} else if (table !== null) {
			const columns = columnsOf.get(table);
			if (columns === undefined) throw damaged(`it has rows of ${table}, a table that it does not list`);
			const isWritten = SEEDED.includes(table) || WRITTEN_BY_TRIGGERS.includes(table);
			if (!rows.has(table) && isWritten) await tx.query(sql.deleteRows(table));
			const bytes = await rowsOf(name, entry.bytes);
			const loaded = await accepted(name, () => copyIn(client, { into: `"${table}"`, columns }, bytes));
			rows.set(table, (rows.get(table) ?? 0) + loaded);
		} else if (name.startsWith(JOBS_FOLDER)) {
			const bytes = await rowsOf(name, entry.bytes);
			jobs += await accepted(name, () => copyIn(client, { into: JOB_TABLE, columns: JOB_COLUMNS }, bytes));
		} else if (name === KEY_RING_ENTRY) keyRing = entry.bytes.toString("utf8");
		else throw damaged(`it has an entry ${name}, which this version cannot read`);
		settings.onBytes("content" in entry ? entry.size : entry.bytes.length);
	}
	const manifest = archive.finish();
	for (const [table, count] of Object.entries(manifest.rows)) {
		if (rows.get(table) !== count) throw damaged(`${table} has ${rows.get(table) ?? 0} rows, not ${count}`);
	}
	if (jobs !== manifest.jobs) throw damaged(`it has ${jobs} jobs, not ${manifest.jobs}`);
	const webhooksStopped = await accepted("its rows", async () => {
		if (jobs > 0) await tx.query(ADD_JOBS);
		await setSequences(tx, archive.facts);
		return await renewHistory(tx, columnsOf, settings);
	});
	// last, because the key ring is kept outside the transaction
	if (keyRing !== null) await settings.takeKeyRing(keyRing);
	const all = [...rows.values()].reduce((sum, count) => sum + count, 0);
	const [holds, moves] = [rows.get("hold") ?? 0, rows.get("unit_move") ?? 0];
	return { rows: all, holds, moves, jobs, files, webhooksStopped };
}

const setSequences = (tx: Query, { sequences }: OpenArchive["facts"]) =>
	sql.setSequences(
		tx,
		sequences.map(({ name }) => name),
		sequences.map(({ last }) => last),
		sequences.map(({ used }) => used),
	);

async function finishLoad(client: pg.Client): Promise<void> {
	try {
		await commit(client);
	} catch (cause) {
		throw new OperatorError(
			`It is unknown whether the restore was finished (${(cause as Error).message}): the database is either complete or empty. Run the command again; if it is refused because the database is not empty, run ${quotedCommand("verify")}.`,
			{ cause },
		);
	}
}

/** Updates the server's statistics of the tables; until then it plans queries as if they were empty. */
export async function gatherStatistics(db: Query): Promise<void> {
	await db.query(sql.analyze(CARRIED));
}
