import type { Readable, Writable } from "node:stream";
import type pg from "pg";
import { JOBS } from "../../ground/jobs/carried-jobs-sql.ts";
import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { endClient, newClient } from "../../ground/pg/client.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { copyOut } from "../../ground/pg/copy.ts";
import { type StoredPepper, selectStoredPeppers } from "../../partners/keys/stored-peppers-sql.ts";
import { type Archive, createArchive } from "./create-archive.ts";
import {
	type BackupFacts,
	chunkEntry,
	FACTS_ENTRY,
	fileEntry,
	jobsEntry,
	KEY_RING_ENTRY,
	newFacts,
} from "./manifest.ts";
import { sealKeyRing } from "./seal-key-ring.ts";
import * as sql from "./sql.ts";
import { CARRIED, LEFT } from "./tables.ts";

/** Milliseconds to wait for the locks of tables, which a migration may hold. */
const LOCK_WAIT_MS = 15_000;
const NEWLINE = 0x0a;

/** A file that rows of the database refer to, identified by its content. */
export interface CarriedFile {
	/** SHA-256 of the content in lower case hex; also its name in the archive. */
	readonly digest: string;
	/** Bytes. */
	readonly size: number;
}

/**
 * Files that belong to the database but are stored outside it, such as papers. A room with such files passes one of
 * these to backup and restore.
 */
export interface FileKeeper {
	/** Every file that the rows of this snapshot refer to. */
	list(snapshot: Query): Promise<readonly CarriedFile[]>;
	/** The content of a file. */
	open(digest: string): Promise<Readable>;
	/**
	 * Stores a file under its digest; does nothing if it exists. The content stream fails if it does not have the
	 * digest, so a file gets its name only after all of it was read. Returns whether the file is new.
	 */
	put(file: CarriedFile, content: AsyncIterable<Buffer>): Promise<boolean>;
	/** Removes files that were put and that no row refers to. */
	remove(digests: readonly string[]): Promise<void>;
}

export interface BackupSettings {
	/** The version of this build. */
	readonly version: string;
	readonly files: FileKeeper;
	/** Null: the archive gets no key ring. */
	readonly keyRing: { readonly text: string; readonly passphrase: string } | null;
	/** Called once with the approximate number of rows in all, then with the rows read since the last call. */
	readonly onRows: (step: { readonly total: number } | { readonly more: number }) => void;
}

export interface BackupReport {
	readonly made_at: string;
	readonly holdfast: string;
	readonly postgres: string;
	/** Rows of all tables. */
	readonly rows: number;
	readonly holds: number;
	readonly moves: number;
	readonly jobs: number;
	readonly files: number;
	/** Size of the archive. */
	readonly bytes: number;
	readonly key_ring: "left out" | "encrypted";
	/** Which entries of the key ring a restored database needs, and for how many keys and webhook endpoints. */
	readonly needs_key_ring: readonly StoredPepper[];
	/** Tables in the schema that are not Holdfast's and are not in the archive. */
	readonly not_carried: readonly string[];
}

/**
 * Writes the content of the database at one moment into an archive while services keep running: one read-only
 * transaction reads the tables in turn. @throws OperatorError when the archive cannot be written
 */
export async function writeBackup(url: string, sink: Writable, settings: BackupSettings): Promise<BackupReport> {
	const client = newClient(url, "holdfast backup", 0);
	const archive = createArchive(sink);
	try {
		await client.connect();
		await client.query(sql.PREPARE_SESSION);
		await client.query(sql.setLockTimeout(LOCK_WAIT_MS));
		await client.query(sql.BEGIN_SNAPSHOT);
		await client.query(sql.lockShared(CARRIED));
		return await writeSnapshot(client, archive, settings);
	} finally {
		archive.destroy();
		await endClient(client);
	}
}

async function writeSnapshot(client: pg.Client, archive: Archive, settings: BackupSettings): Promise<BackupReport> {
	const snapshot = client as unknown as Query;
	const { facts, total, strangers } = await readFacts(snapshot, settings.version);
	await archive.add(FACTS_ENTRY, Buffer.from(JSON.stringify(facts)));
	settings.onRows({ total });
	const rows: Record<string, number> = {};
	for (const [at, { name, columns }] of facts.tables.entries()) {
		const entry = (number: number): string => chunkEntry(name, at + 1, number);
		rows[name] = await writeRows(client, archive, { from: `"${name}"`, columns }, entry, settings);
	}
	const jobs = await writeRows(client, archive, { from: JOBS }, jobsEntry, settings);
	const files = await settings.files.list(snapshot);
	for (const file of files) {
		await archive.addFile(fileEntry(file.digest), file, await settings.files.open(file.digest));
	}
	if (settings.keyRing !== null) {
		const sealed = await sealKeyRing(settings.keyRing.text, settings.keyRing.passphrase);
		await archive.add(KEY_RING_ENTRY, Buffer.from(JSON.stringify(sealed)));
	}
	return {
		made_at: facts.made_at,
		holdfast: facts.holdfast,
		postgres: facts.postgres,
		rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
		holds: rows["hold"] ?? 0,
		moves: rows["unit_move"] ?? 0,
		jobs,
		files: files.length,
		bytes: await archive.finish({ rows, jobs }),
		key_ring: settings.keyRing === null ? "left out" : "encrypted",
		needs_key_ring: facts.peppers,
		not_carried: strangers,
	};
}

interface Snapshot {
	readonly facts: BackupFacts;
	/** Rows, approximately. */
	readonly total: number;
	readonly strangers: readonly string[];
}

async function readFacts(snapshot: Query, version: string): Promise<Snapshot> {
	// one after the other: this connection does not pipeline
	const { at, postgres } = must((await sql.selectSnapshotFacts(snapshot)).rows[0], "the snapshot");
	const found = new Map((await sql.selectColumns(snapshot)).rows.map((row) => [row.table, row]));
	const missing = CARRIED.filter((name) => !found.has(name));
	if (missing.length > 0)
		throw new OperatorError(`The database lacks the tables ${missing.join(", ")}: nothing was written.`);
	const tables = CARRIED.map((name) => ({ name, columns: must(found.get(name), name).columns }));
	const facts = newFacts({
		holdfast: version,
		made_at: toRfc3339(at.getTime()),
		postgres,
		migrations: (await sql.selectMigrations(snapshot)).rows.map(({ name }) => name),
		tables,
		sequences: (await sql.selectSequences(snapshot)).rows,
		peppers: await selectStoredPeppers(snapshot),
	});
	const guesses = tables.map(({ name }) => Math.max(0, found.get(name)?.guess ?? 0));
	const known: readonly string[] = [...CARRIED, ...Object.keys(LEFT)];
	return {
		facts,
		total: Math.round(guesses.reduce((sum, guess) => sum + guess, 0)),
		strangers: [...found.keys()].filter((name) => !known.includes(name)),
	};
}

async function writeRows(
	client: pg.Client,
	archive: Archive,
	source: Parameters<typeof copyOut>[1],
	entry: (number: number) => string,
	{ onRows }: BackupSettings,
): Promise<number> {
	let number = 0;
	const add = (chunk: Buffer): Promise<void> => {
		onRows({ more: linesOf(chunk) });
		return archive.addRows(entry(++number), chunk);
	};
	const rows = await copyOut(client, source, add);
	if (number === 0) await add(Buffer.alloc(0)); // an empty table gets an entry too
	return rows;
}

function linesOf(chunk: Buffer): number {
	let lines = 0;
	for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
	return lines;
}
