import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isDay } from "../../ground/lib/instant.ts";
import { digestOf } from "../../inventory/certificates/digest.ts";
import { MAX_PDF_BYTES, MAX_TEXT_LENGTH } from "../../inventory/certificates/limits.ts";
import { wrongInPdf } from "../../inventory/certificates/pdf.ts";
import type { CertificateEntry } from "../../inventory/certificates/plan.ts";
import { type Column, readCsv } from "./csv.ts";
import { type Place, type Problem, pointAt } from "./entries.ts";
import { contentOf } from "./read-world.ts";

/** The file that lists the certificates of a folder. */
export const CERTIFICATES_CSV = "certificates.csv";

/** A certificate in a folder, and its PDF. */
export interface CertificateInFolder {
	readonly at: Place;
	readonly entry: CertificateEntry;
	/** The name of the PDF, exactly as the folder lists it. */
	readonly file: string;
}

/** A row with problems. */
interface UnreadCertificate {
	readonly at: Place;
	/** The product it names; empty if none. */
	readonly slug: string;
}
interface CertificatesInFolder {
	readonly found: CertificateInFolder[];
	readonly unread: readonly UnreadCertificate[];
	readonly problems: Problem[];
}

const text: Column = { required: true, read: (cell) => cell };
const orNull: Column = { required: false, read: (cell) => (cell === "" ? null : cell) };
const COLUMNS = {
	product_slug: text,
	product_name: { ...text, required: false },
	batch_number: text,
	vial_size: orNull,
	tested_on: orNull,
	lab_name: orNull,
	purity_pct: orNull,
	status: text,
	file: text,
} satisfies Record<string, Column>;
type CsvEntry = { readonly [name in keyof typeof COLUMNS]?: string | null };

const STATUSES = ["draft", "current", "archived"] as const;

/**
 * Reads `certificates.csv` and the PDFs beside it (settlements, section 11). A PDF must be one of the names that the
 * folder lists, which excludes paths out of the folder, and must be a regular file, not a link.
 */
export async function readCertificates(
	folder: string,
	onFile: (of: number) => void = () => undefined,
): Promise<CertificatesInFolder> {
	const problems: Problem[] = [];
	const found: CertificateInFolder[] = [];
	const unread: UnreadCertificate[] = [];
	const listed = await readdir(folder).catch(() => null);
	if (listed === null) return { found, unread, problems: [{ at: folder, message: "cannot be read as a folder" }] };
	const content = await contentOf(join(folder, CERTIFICATES_CSV), problems);
	if (content === null) return { found, unread, problems };
	const { rows, problems: wrongRows } = readCsv(COLUMNS, CERTIFICATES_CSV, content);
	problems.push(...wrongRows);
	const names = new Set(listed);
	const taken = new Map<string, number | string>();
	for (const { at, entry } of rows) {
		const say = (column: string, message: string): void =>
			void problems.push({ at: pointAt(at, `/${column}`), message });
		const facts = factsOf(entry, say);
		const file = entry["file"] as string;
		const bytes = names.has(file) && file !== CERTIFICATES_CSV ? await bytesOf(join(folder, file)) : null;
		onFile(rows.length);
		const wrong =
			bytes === null ? "is not a file of this folder" : typeof bytes === "string" ? bytes : wrongInPdf(bytes);
		if (wrong !== null || !Buffer.isBuffer(bytes)) {
			say("file", `${JSON.stringify(shortened(file))} ${wrong}`);
			unread.push({ at, slug: entry["product_slug"] as string });
			continue;
		}
		if (facts === null) {
			unread.push({ at, slug: entry["product_slug"] as string });
			continue;
		}
		const name = JSON.stringify([facts.slug, facts.batchNumber]);
		const first = taken.get(name);
		if (first !== undefined) say("batch_number", `is the certificate of line ${first} again`);
		taken.set(name, first ?? at.spot);
		found.push({ at, file, entry: { ...facts, digest: digestOf(bytes), size: bytes.length } });
	}
	return { found, unread, problems };
}

/** Reads the PDF of a certificate again, for the store. Null if it has changed or is gone. */
export async function readPdfAgain(folder: string, { file, entry }: CertificateInFolder): Promise<Buffer | null> {
	const bytes = await bytesOf(join(folder, file));
	return Buffer.isBuffer(bytes) && digestOf(bytes) === entry.digest ? bytes : null;
}

const shortened = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

type Say = (column: string, message: string) => void;
type Facts = Omit<CertificateEntry, "digest" | "size">;

function factsOf(entry: CsvEntry, say: Say): Facts | null {
	let wrong = false;
	const complain: Say = (column, message) => {
		wrong = true;
		say(column, message);
	};
	const given = (name: keyof typeof COLUMNS): string | null => {
		const value = entry[name] ?? null;
		if (value !== null && (value === "" || [...value].length > MAX_TEXT_LENGTH || !isPlain(value)))
			complain(name, `must be a text of 1 to ${MAX_TEXT_LENGTH} characters`);
		return value;
	};
	const testedOn = entry.tested_on ?? null;
	if (testedOn !== null && !isDay(testedOn)) complain("tested_on", "must be a day, YYYY-MM-DD");
	const purity = entry.purity_pct ?? null;
	if (purity !== null && !(/^\d{1,3}(\.\d{1,2})?$/.test(purity) && Number(purity) <= 100))
		complain("purity_pct", "must be a number from 0 to 100 with at most two decimals");
	const status = STATUSES.find((one) => one === entry.status);
	if (status === undefined) complain("status", `must be ${STATUSES.join(", ")}`);
	const facts = {
		slug: given("product_slug") ?? "",
		batchNumber: given("batch_number") ?? "",
		vialSize: given("vial_size"),
		testedOn,
		labName: given("lab_name"),
		purityPct: purity === null ? null : Number(purity),
	};
	return wrong || status === undefined ? null : { ...facts, status };
}

/** Whether PostgreSQL can store the text and every reader can decode it. */
const isPlain = (value: string): boolean => value.isWellFormed() && !value.includes("\0");

/** The bytes of a regular file (no link, no folder), or a description of the problem. */
async function bytesOf(path: string): Promise<Buffer | string> {
	const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
	if (file === null) return "cannot be read, or is a link";
	try {
		const { size, isFile } = await file.stat().then((found) => ({ size: found.size, isFile: found.isFile() }));
		if (!isFile) return "is not a file";
		if (size > MAX_PDF_BYTES) return `is larger than ${MAX_PDF_BYTES / 1024 / 1024} MiB`;
		return await file.readFile();
	} finally {
		await file.close();
	}
}
