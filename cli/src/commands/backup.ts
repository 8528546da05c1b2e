import { once } from "node:events";
import { createWriteStream, rmSync } from "node:fs";
import { link, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { bytesInWords } from "../../../service/src/ground/lib/bytes.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { quotedCommand, typedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { BackupReport } from "../../../service/src/upkeep/backup/report.ts";
import { type OperatorSession, withOperator } from "../client/operator-client.ts";
import { readPassphrase } from "../offline/passphrase.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { complain, plural, print } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";

interface Options extends JsonOption {
	readonly withKeyRing?: true;
	readonly encrypt?: true;
	readonly passphraseFile?: string;
	readonly replace?: true;
}

export function addBackup(program: Command): void {
	addCommand(
		program,
		"backup <file>",
		"write the whole database into one file, as of one moment, while the service keeps running; give - as the file to write to standard output",
		"backup holdfast-2026-11-22.tar",
	)
		.option(
			"--with-key-ring",
			"include the key ring, encrypted under a passphrase; without this option the file has no key ring",
		)
		.option("--encrypt", "encrypt the whole file under a passphrase, which a restore asks for")
		.option(
			"--passphrase-file <file>",
			"read the passphrase from the first line of this file; without it you are asked",
		)
		.option("--replace", "replace the file if there is one")
		.action(async (file: string, options: Options) => {
			const sealing = await sealingOf(options);
			const report = file === "-" ? await writeToPipe(sealing) : await writeToFile(resolve(file), sealing, options);
			const tell = (): string => describe(report, file);
			// standard output carries the archive
			if (file === "-") complain(options.json ? JSON.stringify(report) : tell());
			else print(report, options.json, tell);
		});
}

/** The passphrases of a backup. */
interface Sealing {
	/** That of the included key ring; absent: no key ring is included. */
	readonly keyRing: string | undefined;
	/** That of the whole file; absent: the file is not encrypted. */
	readonly file: string | undefined;
}

async function sealingOf({ withKeyRing, encrypt, passphraseFile }: Options): Promise<Sealing> {
	if (!withKeyRing && !encrypt) return { keyRing: undefined, file: undefined };
	const passphrase = await readPassphrase(passphraseFile, { twice: true });
	return { keyRing: withKeyRing && passphrase, file: encrypt && passphrase };
}

async function writeToPipe(sealing: Sealing): Promise<BackupReport> {
	if (process.stdout.isTTY)
		throw new OperatorError(`Standard output is a terminal: ${typedCommand("backup -")} > FILE, or name a file.`);
	return await withOperator((_call, session) => receive(session, process.stdout, sealing), WITHOUT_RING);
}

/** Writes to a temporary name until the file is complete and synced to disk. */
async function writeToFile(
	file: string,
	sealing: Sealing,
	{ replace = false }: { readonly replace?: boolean },
): Promise<BackupReport> {
	if (!replace && (await stat(file).catch(() => null)) !== null) throw taken(file);
	const half = `${file}.${newId()}.partial`;
	return await withOperator(async (_call, session) => {
		session.onInterrupt(() => {
			rmSync(half, { force: true });
			return "no backup was written.";
		});
		const sink = createWriteStream(half, { mode: 0o600, flags: "wx", flush: true });
		try {
			await once(sink, "open").catch((error) => {
				throw new OperatorError(`The backup cannot be written: ${(error as Error).message}.`, { cause: error });
			});
			const report = await receive(session, sink, sealing);
			await giveName(half, file, replace);
			return report;
		} finally {
			rmSync(half, { force: true });
		}
	}, WITHOUT_RING);
}

/** A database can be saved although its key ring is lost. */
const WITHOUT_RING = { withoutRing: true };

async function giveName(half: string, file: string, replace: boolean): Promise<void> {
	if (replace) await rename(half, file);
	else await giveFreeName(half, file);
	const folder = await open(dirname(file), "r");
	try {
		await folder.sync();
	} catch (error) {
		if (!CANNOT_SYNC_A_FOLDER.includes(codeOf(error))) throw error;
	} finally {
		await folder.close();
	}
}

/** Error codes of file systems, such as those of Windows shares, that have no second names, or sync no folders. */
const HAS_NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];
const CANNOT_SYNC_A_FOLDER = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Never replaces a file, not even one that appeared meanwhile. */
export async function giveFreeName(half: string, file: string, giveSecondName = link): Promise<void> {
	const orTaken = (error: unknown): never => {
		throw codeOf(error) === "EEXIST" ? taken(file) : error;
	};
	try {
		await giveSecondName(half, file);
	} catch (error) {
		if (!HAS_NO_LINKS.includes(codeOf(error))) return orTaken(error);
		await (await open(file, "wx", 0o600).catch(orTaken)).close(); // reserves the name
		return await rename(half, file);
	}
	await unlink(half);
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? "";

const taken = (file: string): OperatorError =>
	new OperatorError(`The file ${file} already exists: name another, or replace it with --replace.`);

/**
 * Passes the archive on as it arrives, encrypted if it is to be, and checks each of its entries on the way.
 * @throws OperatorError if it is incomplete
 */
async function receive({ open }: OperatorSession, sink: Writable, sealing: Sealing): Promise<BackupReport> {
	const { checkArchive } = await import("../../../service/src/upkeep/backup/open-archive.ts");
	const { reportOf } = await import("../../../service/src/upkeep/backup/report.ts");
	const { sealArchive } = await import("../../../service/src/upkeep/backup/seal-archive.ts");
	const seal = sealing.file === undefined ? asItIs : await sealArchive(sealing.file);
	const response = await open("make_backup", { body: { passphrase: sealing.keyRing } });
	const progress = await createProgress();
	const copy = new PassThrough();
	let bytes = 0;
	const passedOn = pipeline(
		response,
		async function* (source: AsyncIterable<Buffer>) {
			for await (const chunk of source) {
				if (!copy.write(chunk)) await Promise.race([once(copy, "drain"), once(copy, "close")]);
				yield chunk;
			}
			copy.end();
		},
		seal,
		async function* (written: AsyncIterable<Buffer>) {
			for await (const chunk of written) {
				bytes += chunk.length;
				yield chunk;
			}
		},
		sink,
	);
	const checked = checkArchive(copy, await tellTables(progress));
	passedOn.catch((error: Error) => copy.destroy(error));
	checked.catch((error: Error) => response.destroy(error));
	try {
		const [{ facts, manifest }] = await Promise.all([checked, passedOn]);
		const header = String(response.headers["x-not-carried"] ?? "");
		const notCarried = header === "" ? [] : header.split(",").map(decodeURIComponent);
		return { ...reportOf(facts, manifest), bytes, not_carried: notCarried };
	} catch (error) {
		const why = await passedOn.then(() => error).catch((cause: unknown) => cause);
		throw brokenOff(why);
	} finally {
		progress.end();
	}
}

const asItIs = (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> => source;

const BROKEN_OFF = `The service aborted the backup before its end: its log says why, and ${quotedCommand("verify")} names a certificate whose PDF is missing: ${quotedCommand("coa store")} puts it back. Nothing was written.`;

function brokenOff(cause: unknown): OperatorError {
	if (cause instanceof OperatorError) return cause;
	if ((cause as { code?: string }).code === "ECONNRESET") return new OperatorError(BROKEN_OFF, { cause });
	return new OperatorError(`The backup could not be written: ${messageOf(cause)}. Its file was removed.`, { cause });
}

/** Shows how many tables have been started. */
async function tellTables(progress: Progress): Promise<(more: number, entry: string) => void> {
	const { CARRIED } = await import("../../../service/src/upkeep/backup/tables.ts");
	const { tableOf } = await import("../../../service/src/upkeep/backup/manifest.ts");
	let table: string | null = null;
	progress.stage("Tables", CARRIED.length);
	return (_more, entry) => {
		const begun = tableOf(entry);
		if (begun !== null && begun !== table) progress.advance(1);
		table = begun;
	};
}

function describe(report: BackupReport, file: string): string {
	const { made_at, rows, holds, moves, bytes, jobs, files, needs_key_ring, not_carried } = report;
	const lines = [
		`${file === "-" ? "The backup" : file}: ${bytesInWords(bytes)}, everything as of ${made_at}: ${plural(rows, "row")}, including ${plural(holds, "hold")} and ${plural(moves, "move")}; ${plural(jobs, "job")}, ${plural(files, "file")}.`,
	];
	if (report.key_ring === "encrypted")
		lines.push("The key ring is included, encrypted. Without the passphrase nobody can open it.");
	else if (needs_key_ring.length > 0)
		lines.push(
			`The key ring is not included: keep ${needs_key_ring.map(({ id }) => id).join(", ")} elsewhere, or no partner's key works after a restore.`,
		);
	if (not_carried.length > 0) lines.push(`Left out, because they are not Holdfast's: ${not_carried.join(", ")}.`);
	return lines.join("\n");
}
