import type { Readable, Writable } from "node:stream";
import type pg from "pg";
import { JOBS } from "../../ground/jobs/carried-jobs-sql.ts";
import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { endClient, newClient } from "../../ground/pg/client.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { copyOut } from "../../ground/pg/copy.ts";
import { selectStoredPeppers } from "../../partners/keys/stored-peppers-sql.ts";
import { type Archive, createArchive } from "./create-archive.ts";
import { chunkEntry, FACTS_ENTRY, fileEntry, jobsEntry, KEY_RING_ENTRY, newFacts } from "./manifest.ts";
import { type BackupReport, reportOf } from "./report.ts";
import { sealKeyRing } from "./seal-key-ring.ts";
import * as sql from "./sql.ts";
import { CARRIED, LEFT } from "./tables.ts";

/** Milliseconds to wait for the locks of tables, which a migration may hold. */
const LOCK_WAIT_MS = 15_000;

/** A file that rows of the database refer to, identified by its content. */
export interface CarriedFile {
	/** SHA-256 of the content in lower case hex; also its name in the archive. */
	readonly digest: string;
	/** Bytes. */
	readonly size: number;
}

/**
 * Files that belong to the database but are stored outside it, such as the PDFs of certificates. A room with such files
 * passes one of these to backup and restore.
 */
export interface FileKeeper {
	/** Every file that the rows of this snapshot refer to. */
	list(snapshot: Query): Promise<readonly CarriedFile[]>;
	open(digest: string): Promise<Readable>;
	/**
	 * Stores a file under its digest; does nothing if it exists. The content stream fails if it does not have the
	 * digest, so a file gets its name only after all of it was read. Returns whether the file is new.
	 */
	put(file: CarriedFile, content: AsyncIterable<Buffer>): Promise<boolean>;
	/** Removes files that were put and that no row refers to. */
	remove(digests: readonly string[]): Promise<void>;
}

/** The moment whose state a backup has. */
export interface BackupSnapshot {
	readonly madeAt: string;
	/** Tables in the schema that are not Holdfast's: the archive does not have them. */
	readonly notCarried: readonly string[];
}

export interface BackupSettings {
	readonly version: string;
	readonly files: FileKeeper;
	/** Null: the archive gets no key ring. */
	readonly keyRing: { readonly text: string; readonly passphrase: string } | null;
	/** Confirms that the snapshot may be used, before anything is written; throws if not. Absent: it may. */
	readonly confirm?: ((snapshot: Query) => Promise<void>) | undefined;
	/** Called when the snapshot is taken, before anything is written. */
	readonly onBegin?: (snapshot: BackupSnapshot) => void;
	/** Milliseconds to wait for the locks of tables. Default: LOCK_WAIT_MS. */
	readonly lockWaitMs?: number;
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
		await client.query(sql.setLockTimeout(settings.lockWaitMs ?? LOCK_WAIT_MS));
		await client.query(sql.BEGIN_SNAPSHOT);
		await client.query(sql.lockShared(CARRIED));
		await settings.confirm?.(client as unknown as Query);
		return await writeSnapshot(client, archive, settings);
	} finally {
		archive.destroy();
		await endClient(client);
	}
}

async function writeSnapshot(client: pg.Client, archive: Archive, settings: BackupSettings): Promise<BackupReport> {
	const snapshot = client as unknown as Query;
	const { facts, unknownTables } = await readFacts(snapshot, settings.version);
	settings.onBegin?.({ madeAt: facts.made_at, notCarried: unknownTables });
	await archive.add(FACTS_ENTRY, Buffer.from(JSON.stringify(facts)));
	const rows: Record<string, number> = {};
	for (const [at, { name, columns }] of facts.tables.entries()) {
		const entry = (number: number): string => chunkEntry(name, at + 1, number);
		rows[name] = await writeRows(client, archive, { from: `"${name}"`, columns }, entry);
	}
	const jobs = await writeRows(client, archive, { from: JOBS }, jobsEntry);
	const files = await settings.files.list(snapshot);
	for (const file of files) {
		await archive.addFile(fileEntry(file.digest), file, await settings.files.open(file.digest));
	}
	if (settings.keyRing !== null) {
		const sealed = await sealKeyRing(settings.keyRing.text, settings.keyRing.passphrase);
		await archive.add(KEY_RING_ENTRY, Buffer.from(JSON.stringify(sealed)));
	}
	const { bytes, manifest } = await archive.finish({ rows, jobs });
	return { ...reportOf(facts, manifest), bytes, not_carried: unknownTables };
}

async function readFacts(snapshot: Query, version: string) {
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
	const known: readonly string[] = [...CARRIED, ...Object.keys(LEFT)];
	return { facts, unknownTables: [...found.keys()].filter((name) => !known.includes(name)) };
}

async function writeRows(
	client: pg.Client,
	archive: Archive,
	source: Parameters<typeof copyOut>[1],
	entry: (number: number) => string,
): Promise<number> {
	let number = 0;
	const add = (chunk: Buffer): Promise<void> => archive.addRows(entry(++number), chunk);
	const rows = await copyOut(client, source, add);
	if (number === 0) await add(Buffer.alloc(0)); // an empty table gets an entry too
	return rows;
}
