import { once } from "node:events";
import { createWriteStream, rmSync } from "node:fs";
import { link, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Writable } from "node:stream";
import type { Command } from "commander";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { typedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { readVersion } from "../../../service/src/ground/lib/version.ts";
import type { BackupReport } from "../../../service/src/upkeep/backup/write-backup.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { complain, plural, print } from "../terminal/output.ts";
import { bytesInWords } from "../terminal/progress.ts";
import { type Context, withStore } from "./context.ts";
import { readPassphrase } from "./passphrase.ts";

interface Options extends JsonOption {
	readonly withKeyRing?: true;
	readonly passphraseFile?: string;
	readonly replace?: true;
}

export function addBackup(program: Command): void {
	addCommand(
		program,
		"backup <file>",
		"write the whole database into one file, as of one moment, beside a running service; - writes to standard output",
		"backup holdfast-2026-11-22.tar",
	)
		.option("--with-key-ring", "put the key ring in, encrypted under a passphrase; without it the file has no key ring")
		.option(
			"--passphrase-file <file>",
			"read the passphrase from the first line of this file; without it you are asked",
		)
		.option("--replace", "replace the file if there is one")
		.action(async (file: string, options: Options) => {
			const passphrase = options.withKeyRing ? await readPassphrase(options.passphraseFile, { twice: true }) : null;
			const report =
				file === "-" ? await writeToPipe(passphrase) : await writeToFile(resolve(file), passphrase, options);
			const tell = (): string => describe(report, file);
			// standard output carries the archive
			if (file === "-") complain(options.json ? JSON.stringify(report) : tell());
			else print(report, options.json, tell);
		});
}

async function writeToPipe(passphrase: string | null): Promise<BackupReport> {
	if (process.stdout.isTTY)
		throw new OperatorError(`Standard output is a terminal: ${typedCommand("backup -")} > FILE, or name a file.`);
	return await withStore((context) => write(context, process.stdout, passphrase));
}

/** Writes to a temporary name until the file is complete and synced to disk. */
async function writeToFile(
	file: string,
	passphrase: string | null,
	{ replace = false }: { readonly replace?: boolean },
): Promise<BackupReport> {
	if (!replace && (await stat(file).catch(() => null)) !== null) throw taken(file);
	const half = `${file}.${newId()}.partial`;
	return await withStore(async (context) => {
		context.onInterrupt(() => {
			rmSync(half, { force: true });
			return "no backup was written.";
		});
		const sink = createWriteStream(half, { mode: 0o600, flags: "wx", flush: true });
		try {
			await once(sink, "open").catch((error) => {
				throw new OperatorError(`The backup cannot be written: ${(error as Error).message}.`, { cause: error });
			});
			const report = await write(context, sink, passphrase);
			await giveName(half, file, replace);
			return report;
		} finally {
			rmSync(half, { force: true });
		}
	});
}

async function giveName(half: string, file: string, replace: boolean): Promise<void> {
	if (replace) await rename(half, file);
	else {
		await link(half, file).catch((error) => {
			throw (error as { code?: string }).code === "EEXIST" ? taken(file) : error;
		});
		await unlink(half);
	}
	const folder = await open(dirname(file), "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

const taken = (file: string): OperatorError =>
	new OperatorError(`There is a file ${file} already: name another, or replace it with --replace.`);

async function write(
	{ config, url, withFiles }: Context,
	sink: Writable,
	passphrase: string | null,
): Promise<BackupReport> {
	const { writeBackup } = await import("../../../service/src/upkeep/backup/write-backup.ts");
	const { fileKeeperOf } = await import("../../../service/src/assembly/files.ts");
	const { createProgress } = await import("../terminal/progress.ts");
	const progress = await createProgress();
	try {
		const keyRing = passphrase === null ? null : { text: await ringText(config), passphrase };
		return await withFiles((files) =>
			writeBackup(url, sink, {
				version: readVersion(),
				files: fileKeeperOf(files),
				keyRing,
				onRows: (step) => {
					if ("total" in step) progress.stage("Rows (estimated)", Math.max(1, step.total));
					else progress.advance(step.more);
				},
			}),
		);
	} finally {
		progress.end();
	}
}

async function ringText(config: Context["config"]): Promise<string> {
	const { findKeyRing } = await import("../../../service/src/partners/keys/load-key-ring.ts");
	const found = await findKeyRing(config);
	if (found === null)
		throw new OperatorError("There is no key ring to include: set HOLDFAST_SECRET_KEYS to the service's value.");
	return found.text;
}

function describe(report: BackupReport, file: string): string {
	const { made_at, rows, holds, moves, bytes, jobs, files, needs_key_ring, not_carried } = report;
	const lines = [
		`${file === "-" ? "The backup" : file}: ${bytesInWords(bytes)}, everything as of ${made_at}: ${plural(rows, "row")}, of them ${plural(holds, "hold")} and ${plural(moves, "move")}; ${plural(jobs, "job")}, ${plural(files, "file")}.`,
	];
	if (report.key_ring === "encrypted")
		lines.push("The key ring is in it, encrypted. Without the passphrase nobody can open it.");
	else if (needs_key_ring.length > 0)
		lines.push(
			`The key ring is not in it: keep ${needs_key_ring.map(({ id }) => id).join(", ")} elsewhere, or no partner's key works after a restore.`,
		);
	if (not_carried.length > 0) lines.push(`Left out, because they are not Holdfast's: ${not_carried.join(", ")}.`);
	return lines.join("\n");
}
