import { isUtf8 } from "node:buffer";
import { asReply } from "../../ground/lib/as-reply.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { asDigest, type Digest, digestOf } from "../../inventory/certificates/digest.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { MAX_PDF_BYTES } from "../../inventory/certificates/limits.ts";
import { wrongInPdf } from "../../inventory/certificates/pdf.ts";
import { mountWrite, type Write, type WriteDeps } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import type { UploadedFile } from "../../partners/http/form.ts";
import type { Gate } from "../../partners/http/mount.ts";
import { refuseProblems } from "../import/refused.ts";
import { ImportCertificates, StoreCertificateFiles } from "./certificate-import-contract.ts";
import { importCertificates, storeNeeded } from "./import-certificates.ts";
import { type CertificateTable, type NamedPdf, readCertificates } from "./read-certificates.ts";

export interface CertificateImportDeps extends WriteDeps {
	readonly files: FileStore;
}

/** The operations of the operator's API that import certificates. */
export function admin(gate: Gate<Operator>, deps: CertificateImportDeps): void {
	mountFiles(gate, deps);
	mountImport(gate, deps);
}

function mountFiles(gate: Gate<Operator>, deps: CertificateImportDeps): void {
	const store: Write<typeof StoreCertificateFiles> = async (_tx, { files }) => ({
		status: 200,
		data: { items: files.map(({ name, bytes }) => ({ name, sha256: digestOf(bytes), bytes: bytes.length })) },
		about: files.length === 1 ? (files[0]?.name ?? "") : `${files.length} files`,
	});
	mountWrite(gate, deps, StoreCertificateFiles, store, {
		async ask({ files }) {
			if (files.length === 0) return refuse("invalid_input", "/file: expected at least one PDF");
			const problems = files.flatMap(({ name, bytes }) => {
				const wrong = wrongInPdf(bytes);
				return wrong === null ? [] : [{ at: name, message: wrong }];
			});
			if (problems.length > 0) return refuseProblems(problems);
			for (const { bytes } of files) await deps.files.put(bytes);
			return undefined;
		},
	});
}

/** The table of a request, and the digests of the PDFs that it needs and that are in the store. */
interface Prepared {
	readonly table: CertificateTable;
	readonly stored: ReadonlySet<Digest>;
}

function mountImport(gate: Gate<Operator>, deps: CertificateImportDeps): void {
	const run: Write<typeof ImportCertificates> = async (tx, { caller, body }, _more, asked) => {
		const { table, stored } = asked as Prepared;
		const report = await importCertificates(tx, table, stored, optionsOf(caller, body));
		if (isRefusal(report)) return report;
		const { created, changed } = report;
		const about = table.found.length === 1 ? nameOf(table) : `${table.found.length} certificates`;
		return { status: 200, data: asReply(report), about, changed: created + changed > 0 };
	};
	mountWrite(gate, deps, ImportCertificates, run, {
		async ask({ caller, body, files }) {
			const table = tableOf(body, files);
			if (isRefusal(table)) return table;
			const pdfs = files.filter((file) => !isTable(file)).map(({ bytes }) => bytes);
			const stored = await storeNeeded(deps, table, pdfs, optionsOf(caller, body));
			return isRefusal(stored) ? stored : { table, stored };
		},
	});
}

type ImportBody = Parameters<Write<typeof ImportCertificates>>[1]["body"];

const optionsOf = (caller: Operator, { reissue = false, dry_run: dryRun = false }: ImportBody) => ({
	actor: actorOf(caller),
	reissue,
	dryRun,
});

const isTable = ({ name }: UploadedFile): boolean => name.toLowerCase().endsWith(".csv");

function tableOf(body: ImportBody, files: readonly UploadedFile[]): CertificateTable | Refusal<"invalid_input"> {
	const [csv, ...more] = files.filter(isTable);
	if (csv === undefined || more.length > 0)
		return refuse("invalid_input", "/file: expected one file whose name ends in .csv, the table of certificates");
	if (!isUtf8(csv.bytes)) return refuseProblems([{ at: csv.name, message: "is not valid UTF-8" }]);
	const pdfs = new Map<string, NamedPdf>();
	const twice = new Set<string>();
	const add = (name: string, pdf: NamedPdf): void => {
		if (pdfs.has(name)) twice.add(name);
		pdfs.set(name, pdf);
	};
	for (const { name, sha256, bytes } of body.stored ?? []) add(name, storedPdf(sha256, bytes));
	for (const file of files) if (!isTable(file)) add(file.name, sentPdf(file.bytes));
	if (twice.size > 0) return refuseProblems([...twice].map((at) => ({ at, message: "is given twice" })));
	return readCertificates({ name: csv.name, content: csv.bytes.toString("utf8") }, pdfs);
}

function storedPdf(sha256: string, bytes: number): NamedPdf {
	const digest = asDigest(sha256);
	if (digest === null) return "has no valid SHA-256";
	return bytes > MAX_PDF_BYTES ? `is larger than ${MAX_PDF_BYTES / 1024 / 1024} MiB` : { digest, size: bytes };
}

const sentPdf = (bytes: Buffer): NamedPdf => wrongInPdf(bytes) ?? { digest: digestOf(bytes), size: bytes.length };

const nameOf = ({ found: [first] }: CertificateTable): string =>
	first === undefined ? "" : `${first.entry.slug} ${first.entry.batchNumber}`;
