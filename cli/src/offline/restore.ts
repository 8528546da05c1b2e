import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Command } from "commander";
import type { Config } from "../../../service/src/config.ts";
import { openStore, type Store } from "../../../service/src/ground/embedded/store.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { quotedCommand, typedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type Database, openDatabase } from "../../../service/src/ground/pg/connect.ts";
import type { FileStore } from "../../../service/src/inventory/certificates/file-store.ts";
import type { StoredPepper } from "../../../service/src/partners/keys/stored-peppers-sql.ts";
import type { BackupFacts } from "../../../service/src/upkeep/backup/manifest.ts";
import type { OpenArchive } from "../../../service/src/upkeep/backup/open-archive.ts";
import type { LoadedBackup } from "../../../service/src/upkeep/backup/restore-backup.ts";
import type { VerifyReport } from "../../../service/src/upkeep/ledger/verify.ts";
import { describeVerdict } from "../commands/verify.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { EXIT, exitInterrupted } from "../terminal/failure.ts";
import { complain, plural, print } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { readConfig, withStore } from "./context.ts";
import { readPassphrase } from "./passphrase.ts";

interface Options extends JsonOption {
	readonly passphraseFile?: string;
	readonly recovered?: true;
	readonly withoutWebhooks?: true;
}

interface RestoreReport extends Omit<LoadedBackup, "webhooksStopped"> {
	/** Webhook endpoints that were made inactive; null: not requested. */
	readonly webhooks_stopped: number | null;
	readonly made_at: string;
	readonly holdfast: string;
	/** Migrations of this build that were applied after the archive's. */
	readonly migrated: readonly string[];
	/**
	 * The path that the archive's key ring was written to; null: the archive had none, or HOLDFAST_SECRET_KEYS has it.
	 */
	readonly key_ring: string | null;
	/** Entries that stored secrets need and the active key ring lacks, with the number of keys for each. */
	readonly missing_key_ring: readonly StoredPepper[];
	readonly verify: VerifyReport;
}

export function addRestore(program: Command): void {
	addCommand(
		program,
		"restore [file]",
		"load a backup into an empty database (embedded or your own), all or nothing, and verify the result; give - as the file to read standard input",
		"restore holdfast-2026-11-22.tar",
	)
		.option(
			"--passphrase-file <file>",
			"the passphrase of an encrypted backup, or of the key ring in it; without it you are asked",
		)
		.option(
			"--recovered",
			"instead of a file, after the database was recovered in another way to a point in time: renews the numbers and versions that partners and nodes may remember from the lost time, and verifies",
		)
		.option(
			"--without-webhooks",
			"for a rehearsal: make every webhook endpoint inactive and drop pending deliveries, before anything can be sent",
		)
		.action(async (file: string | undefined, options: Options) => {
			if ((file === undefined) === (options.recovered === undefined))
				throw new OperatorError(`Name a backup file, or give --recovered: see ${typedCommand("restore --help")}.`);
			const restored = file === undefined ? null : await restore(file, options);
			const report = restored ?? (await renew(options));
			print(report, options.json, () =>
				restored === null
					? [...describeStopped(report.webhooks_stopped), describeVerdict(report.verify)].join("\n")
					: describe(restored),
			);
			if (!report.verify.ok) process.exitCode = EXIT.refused;
		});
}

async function restore(file: string, options: Options): Promise<RestoreReport> {
	const { checkArchive, openArchive } = await import("../../../service/src/upkeep/backup/open-archive.ts");
	const { openSealed } = await import("../../../service/src/upkeep/backup/seal-archive.ts");
	const progress = await createProgress();
	const ask = once(() => readPassphrase(options.passphraseFile, { twice: false }));
	const archiveIn = async (bytes: Readable): Promise<Readable> =>
		Readable.from(await openSealed(bytes, ask), { objectMode: false });
	if (file !== "-") {
		const { size } = await stat(file).catch((cause) => {
			throw new OperatorError(`The backup cannot be read: ${(cause as Error).message}.`, { cause });
		});
		progress.stage("Checking, MiB", inMib(size));
		await checkArchive(await archiveIn(createReadStream(file)), advanceMib(progress));
		progress.stage("Loading, MiB", inMib(size));
	}
	const source: Readable = file === "-" ? process.stdin : createReadStream(file);
	const archive = await openArchive(await archiveIn(source));
	try {
		return await load(archive, options, progress);
	} finally {
		archive.close();
		progress.end();
	}
}

/** Asks at most once. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
	let asked: Promise<T> | undefined;
	return () => (asked ??= ask());
}

const MIB = 1024 * 1024;
const inMib = (bytes: number): number => Math.ceil(bytes / MIB);

/** Reports progress in whole mebibytes. */
function advanceMib(progress: Progress): (bytes: number) => void {
	let [sum, told] = [0, 0];
	return (bytes) => {
		sum += bytes;
		const whole = Math.floor(sum / MIB);
		if (whole > told) progress.advance(whole - told);
		told = whole;
	};
}

/** Opens the store of the certificates' PDFs for `work`. */
async function withFiles<T>({ coa }: Config, work: (files: FileStore) => Promise<T>): Promise<T> {
	const { openFileStore } = await import("../../../service/src/inventory/certificates/file-store.ts");
	const files = openFileStore(coa.store);
	try {
		return await work(files);
	} finally {
		files.close();
	}
}

async function load(archive: OpenArchive, options: Options, progress: Progress): Promise<RestoreReport> {
	const { migrate, migrationNames } = await import("../../../service/src/ground/pg/migrate.ts");
	const { restoreBackup } = await import("../../../service/src/upkeep/backup/restore-backup.ts");
	const { fileKeeperOf } = await import("../../../service/src/assembly/files.ts");
	const config = readConfig();
	const upTo = knownMigrations(archive.facts, await migrationNames());
	// as the data folder's service, so that no other can start on it meanwhile
	const role = config.databaseUrl === null ? "service" : "tool";
	const store = await openStore(config, { role, say: complain, mayMake: true, upTo });
	let state = "nothing was restored, the database is empty.";
	for (const signal of ["SIGINT", "SIGTERM"] as const)
		process.once(signal, () => exitInterrupted(state, () => store.close()));
	try {
		let keyRing: string | null = null;
		const { webhooksStopped, ...restored } = await withFiles(config, (files) =>
			restoreBackup(store.url, archive, {
				files: fileKeeperOf(files),
				withoutWebhooks: options.withoutWebhooks === true,
				onBytes: advanceMib(progress),
				takeKeyRing: async (sealed) => {
					keyRing = await putKeyRing(sealed, config, options);
				},
			}),
		);
		state = `everything was restored, but not verified: run ${quotedCommand("verify")}.`;
		progress.end();
		const { made_at, holdfast } = archive.facts;
		try {
			const migrated = await migrate(store.url, { say: complain });
			const looked = await lookAt(store, config);
			return {
				made_at,
				holdfast,
				...restored,
				webhooks_stopped: webhooksStopped,
				migrated,
				key_ring: keyRing,
				...looked,
			};
		} catch (cause) {
			const all = `Everything was restored as of ${made_at}, ${plural(restored.rows, "row")}, but could not be verified: ${messageOf(cause)}`;
			const next = `Do not restore it again: run ${quotedCommand("migrate")}, then ${quotedCommand("verify")}.`;
			throw new OperatorError(`${all}. ${[...describeStopped(webhooksStopped), next].join(" ")}`, { cause });
		}
	} finally {
		await store.close();
	}
}

/** The archive's migrations, which must be the first of this build's. */
function knownMigrations({ migrations, holdfast }: BackupFacts, known: readonly string[]): readonly string[] {
	const unknown = migrations.filter((name, at) => known[at] !== name);
	if (unknown.length === 0) return migrations;
	throw new OperatorError(
		`This backup was made by another Holdfast (${holdfast}), whose schema has ${unknown.join(", ")}: restore it with that version or a newer one. Nothing was changed.`,
	);
}

/** Writes an archive's key ring to the place where the service reads it; returns the path. */
async function putKeyRing(sealed: string, config: Config, options: Options): Promise<string | null> {
	const { openKeyRing } = await import("../../../service/src/upkeep/backup/seal-key-ring.ts");
	const { findKeyRing, keepKeyRing } = await import("../../../service/src/partners/keys/load-key-ring.ts");
	const text = await openKeyRing(sealed, await readPassphrase(options.passphraseFile, { twice: false }));
	const found = await findKeyRing(config);
	if (found?.text === text) return null;
	if (config.secretKeys === null && config.databaseUrl === null) return await keepKeyRing(text, config.dataDir);
	const is = found === null ? "is not set" : "has another value";
	complain(
		`HOLDFAST_SECRET_KEYS ${is}. Set it to the key ring of the backup, and keep it secret:\nHOLDFAST_SECRET_KEYS=${text}`,
	);
	return null;
}

async function lookAt({ url }: Store, config: Config): Promise<Pick<RestoreReport, "missing_key_ring" | "verify">> {
	const [{ missingPeppers }, { findKeyRing }, { parseKeyRing }, { selectStoredPeppers }, { gatherStatistics }] =
		await Promise.all([
			import("../../../service/src/partners/keys/require-key-ring.ts"),
			import("../../../service/src/partners/keys/load-key-ring.ts"),
			import("../../../service/src/partners/keys/key-ring.ts"),
			import("../../../service/src/partners/keys/stored-peppers-sql.ts"),
			import("../../../service/src/upkeep/backup/restore-backup.ts"),
		]);
	const db = openDatabase(url, { name: "holdfast restore", max: 2 });
	try {
		await gatherStatistics(db);
		const found = await findKeyRing(config);
		const ring = found === null ? null : parseKeyRing(found.text);
		const report = await prove(db, config);
		return { missing_key_ring: missingPeppers(await selectStoredPeppers(db), ring), verify: report };
	} finally {
		await db.close();
	}
}

/** Verifies the whole database and the PDFs of its certificates. */
async function prove(db: Database, config: Config): Promise<VerifyReport> {
	const { proveLedger } = await import("../../../service/src/upkeep/ledger/verify.ts");
	const progress = await createProgress();
	try {
		return await withFiles(config, (files) =>
			proveLedger(db, files, {
				onStep(step, of) {
					if (step === 0) progress.stage("Verifying", of);
					else progress.advance(1);
				},
			}),
		);
	} finally {
		progress.end();
	}
}

/** After a point-in-time recovery: renews what a restore would renew, in a database that already has its rows. */
async function renew({ withoutWebhooks }: Options): Promise<Pick<RestoreReport, "webhooks_stopped" | "verify">> {
	const { renewRecovered } = await import("../../../service/src/upkeep/backup/renew-recovered.ts");
	return await withStore(async ({ db }) => {
		const stopped = await renewRecovered(db, { withoutWebhooks: withoutWebhooks === true });
		return { webhooks_stopped: stopped, verify: await prove(db, readConfig()) };
	});
}

const describeStopped = (stopped: number | null): string[] =>
	stopped === null
		? []
		: [
				`${plural(stopped, "webhook endpoint")} made inactive, pending deliveries dropped: nothing is sent until ${quotedCommand("webhooks set <endpoint> --status active")}.`,
			];

function describe(report: RestoreReport): string {
	const { made_at, rows, holds, moves, jobs, files, migrated, key_ring, missing_key_ring } = report;
	const lines = [
		`Restored as of ${made_at}: ${plural(rows, "row")}, including ${plural(holds, "hold")} and ${plural(moves, "move")}; ${plural(jobs, "job")}, ${plural(files, "file")}.`,
	];
	if (migrated.length > 0) lines.push(`Migrated to this build's schema: ${migrated.join(", ")}.`);
	if (key_ring !== null) lines.push(`The key ring is in ${key_ring}.`);
	for (const { id, keys, webhooks } of missing_key_ring)
		lines.push(
			`Before you start: ${plural(keys, "key")} and ${plural(webhooks, "webhook endpoint")} need the entry ${id} of the key ring, which is missing. Put it back.`,
		);
	lines.push(...describeStopped(report.webhooks_stopped));
	lines.push(describeVerdict(report.verify));
	lines.push(`The backup has no changes made after ${made_at}: see docs/operator/backup.md, "What a restore means".`);
	return lines.join("\n");
}
