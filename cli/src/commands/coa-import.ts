import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { MAX_PDF_BYTES } from "../../../service/src/inventory/certificates/limits.ts";
import { wrongInPdf } from "../../../service/src/inventory/certificates/pdf.ts";
import { MAX_FILES, MAX_STORED } from "../../../service/src/upkeep/certificate-import/limits.ts";
import { pdfsNamedIn, readCertificates } from "../../../service/src/upkeep/certificate-import/read-certificates.ts";
import type { SentFile } from "../client/exchange.ts";
import { type CallOperator, type DataOfCall, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { print, shorten } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";

/** The name of the table of certificates in a folder. */
const CERTIFICATES_CSV = "certificates.csv";
/** Maximum bytes of the PDFs in one request, unless a single PDF is larger: few enough for a slow connection. */
const MAX_SENT_BYTES = 8 * 1024 * 1024;
/** Maximum number of changes of an import that are named in human-readable output. */
const MAX_NAMED = 100;

type Report = DataOfCall<"import_certificates">;
type Stored = DataOfCall<"store_certificate_files">;

interface ImportOptions extends JsonOption {
	readonly dryRun?: true;
	readonly reissue?: true;
}

export function addImport(group: Command): void {
	addCommand(
		group,
		"import <folder>",
		"import certificates.csv and the PDFs beside it; all or nothing, and a second run changes nothing",
		"coa import lab-2026-08 --dry-run",
	)
		.option("--dry-run", "show what would change, and change nothing")
		.option("--reissue", "let new certificates take the place of retired ones")
		.action(async (folder: string, { json, ...options }: ImportOptions) => {
			const progress = await createProgress();
			try {
				const report = await importFolder(folder, options, progress);
				print(report, json, () => describe(report));
			} finally {
				progress.end();
			}
		});
}

/**
 * Checks the whole folder by a dry run, which names every problem in one go; then sends the PDFs that the service
 * needs, in as many requests as they take, and imports all rows in one request.
 */
async function importFolder(
	folder: string,
	{ dryRun, reissue }: Omit<ImportOptions, "json">,
	progress: Progress,
): Promise<Report> {
	const csv = await readFile(join(folder, CERTIFICATES_CSV)).catch((error: Error) => {
		throw new OperatorError(`${join(folder, CERTIFICATES_CSV)} cannot be read: ${error.message}`, { cause: error });
	});
	const content = csv.toString("utf8");
	const pdfs = await readPdfs(folder, pdfsNamedIn(content), progress);
	if (pdfs.length > MAX_STORED)
		throw new OperatorError(`${folder} has more than ${MAX_STORED} PDFs: split it into several folders.`);
	const table = { name: CERTIFICATES_CSV, bytes: bytesOf(csv) };
	const given = pdfs
		.filter(({ refused }) => refused === null)
		.map(({ name, sha256, bytes }) => ({ name, sha256, bytes }));
	return await withOperator(async (call) => {
		const refused = pdfs.flatMap(({ name, refused: bytes }) => (bytes === null ? [] : [{ name, bytes }]));
		const body = { reissue, stored: given };
		const dry = await call("import_certificates", { body: { ...body, dry_run: true }, files: [table, ...refused] });
		if (dryRun) return dry;
		await sendPdfs(call, pathsOf(folder, neededPdfs(dry, content, pdfs)), progress);
		return await call("import_certificates", { body, files: [table] });
	});
}

/** A PDF whose digest is known. */
interface PdfFile {
	readonly path: string;
	readonly sha256: string;
	/** Its size. */
	readonly bytes: number;
}

/** A PDF of the folder. */
interface FoundPdf extends Omit<PdfFile, "path"> {
	readonly name: string;
	/** Its content, if the service will refuse it and say why; else null. */
	readonly refused: Uint8Array<ArrayBuffer> | null;
}

/**
 * The named files that are regular files of the folder itself, which excludes links and paths that lead out of it. Of
 * those that the service will refuse, only as many are kept as fit into one request.
 */
async function readPdfs(folder: string, names: ReadonlySet<string>, progress: Progress): Promise<FoundPdf[]> {
	const listed = (await readdir(folder)).filter((name) => names.has(name) && name !== CERTIFICATES_CSV);
	progress.stage("Reading PDFs", listed.length);
	const found: FoundPdf[] = [];
	let room = MAX_SENT_BYTES;
	for (const name of listed) {
		progress.advance(1);
		const pdf = await withRegularFile(join(folder, name), (file, size) => readPdf(file, name, size));
		if (pdf === null) continue;
		const { refused } = pdf;
		const fits = refused === null || refused.length <= room;
		if (fits) room -= refused?.length ?? 0;
		found.push(fits ? pdf : { ...pdf, refused: null });
	}
	return found;
}

async function readPdf(file: FileHandle, name: string, size: number): Promise<FoundPdf> {
	if (size <= MAX_PDF_BYTES) {
		const bytes = bytesOf(await file.readFile());
		const refused = wrongInPdf(Buffer.from(bytes.buffer)) === null ? null : bytes;
		return { name, sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length, refused };
	}
	const hash = createHash("sha256");
	for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
	return { name, sha256: hash.digest("hex"), bytes: size, refused: null };
}

/** Calls `read` with a regular file; null if it is a link, a folder, or cannot be opened. */
async function withRegularFile<T>(
	path: string,
	read: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | null> {
	const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
	if (file === null) return null;
	try {
		const found = await file.stat();
		return found.isFile() ? await read(file, found.size) : null;
	} finally {
		await file.close();
	}
}

/** The PDFs of certificates that are created, or get another PDF. */
function neededPdfs({ changes }: Report, content: string, pdfs: readonly FoundPdf[]): FoundPdf[] {
	const nameOf = (slug: string, batch: string): string => JSON.stringify([slug, batch]);
	const needed = new Set(
		changes
			.filter(({ what, fields }) => what === "created" || fields.some(({ field }) => field === "file"))
			.map(({ slug, batch_number: batch }) => nameOf(slug, batch)),
	);
	const any = { digest: "" as never, size: 0 };
	const { found } = readCertificates({ name: CERTIFICATES_CSV, content }, new Map(pdfs.map(({ name }) => [name, any])));
	const files = new Set(
		found.filter(({ entry }) => needed.has(nameOf(entry.slug, entry.batchNumber))).map(({ file }) => file),
	);
	return pdfs.filter(({ name }) => files.has(name));
}

const pathsOf = (folder: string, pdfs: readonly FoundPdf[]): PdfFile[] =>
	pdfs.map(({ name, ...pdf }) => ({ ...pdf, path: join(folder, name) }));

/** Sends PDFs, in as many requests as they take. Returns what the service stored. */
async function sendPdfs(call: CallOperator, pdfs: readonly PdfFile[], progress: Progress): Promise<Stored["items"]> {
	progress.stage("Storing PDFs", pdfs.length);
	const stored: Stored["items"][number][] = [];
	let some: SentFile[] = [];
	let size = 0;
	const send = async (): Promise<void> => {
		if (some.length > 0) stored.push(...(await call("store_certificate_files", { body: {}, files: some })).items);
		progress.advance(some.length);
		some = [];
		size = 0;
	};
	for (const { path, sha256, bytes } of pdfs) {
		if (some.length === MAX_FILES || size + bytes > MAX_SENT_BYTES) await send();
		const content = await withRegularFile(path, (file) => file.readFile());
		if (content === null || createHash("sha256").update(content).digest("hex") !== sha256)
			throw new OperatorError(`${path} changed while it was read. No certificate was changed: run the command again.`);
		some.push({ name: basename(path), bytes: bytesOf(content) });
		size += bytes;
	}
	await send();
	return stored;
}

export function addStore(group: Command): void {
	addCommand(
		group,
		"store <pdf...>",
		"put PDFs back that the store of certificates has lost; each is known by its content, whatever the name of the file",
		"coa store C-2611.pdf",
	).action(async (paths: string[], { json }: JsonOption) => {
		const progress = await createProgress();
		try {
			const pdfs = await Promise.all(paths.map(readNamedPdf));
			const items = await withOperator((call) => sendPdfs(call, pdfs, progress));
			print({ items }, json, () => items.map(({ name, sha256 }) => `${name} is stored as ${sha256}.`).join("\n"));
		} finally {
			progress.end();
		}
	});
}

async function readNamedPdf(path: string): Promise<PdfFile> {
	const pdf = await withRegularFile(path, (file, size) => readPdf(file, basename(path), size));
	if (pdf === null) throw new OperatorError(`${path} cannot be read, or is not a regular file.`);
	return { path, sha256: pdf.sha256, bytes: pdf.bytes };
}

const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

function describe({ dry_run: dryRun, created, changed, unchanged, changes, without_lot: withoutLot }: Report): string {
	const { shown, rest } = shorten(changes, MAX_NAMED, "changes");
	const named = shown.map(({ what, slug, batch_number: batch, status, fields }) => {
		const told = fields.map(({ field, from, to }) => `${field} ${short(from)} -> ${short(to)}`).join(", ");
		return what === "created" ? `+ ${slug} ${batch} (${status})` : `~ ${slug} ${batch}: ${told}`;
	});
	const sum = `${created} ${dryRun ? "to create" : "created"}, ${changed} ${dryRun ? "to change" : "changed"}, ${unchanged} unchanged${withoutLot.length === 0 ? "" : `; ${withoutLot.length} without a lot: no unit of the batch was received yet, or the batch number is wrong`}.`;
	const alone = shorten(withoutLot, MAX_NAMED, "certificates without a lot");
	const lotless = alone.shown.map(
		({ slug, batch_number: batch }) => `! ${slug} ${batch}: there is no lot of this batch`,
	);
	return [
		...named,
		...rest,
		...lotless,
		...alone.rest,
		sum,
		...(dryRun ? ["Nothing was changed: this was a dry run."] : []),
	].join("\n");
}

/** Shortens a digest to its beginning. */
const short = (value: string | number | null): string =>
	typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? `${value.slice(0, 12)}…` : String(value ?? "nothing");
