import { isDay } from "../../ground/lib/instant.ts";
import { ENTERED_STATUSES } from "../../inventory/certificates/certificate.ts";
import type { Digest } from "../../inventory/certificates/digest.ts";
import { MAX_TEXT_LENGTH } from "../../inventory/certificates/limits.ts";
import type { CertificateEntry } from "../../inventory/certificates/plan.ts";
import { type Column, readCsv, text, textOrNull } from "../import/csv.ts";
import { type Place, type Problem, pointAt } from "../import/entries.ts";

/** A PDF that rows may name: its digest and size, or why it cannot be accepted, as the end of a sentence. */
export type NamedPdf = { readonly digest: Digest; readonly size: number } | string;

/** A certificate of the table, and its PDF. */
export interface CertificateRow {
	readonly at: Place;
	readonly entry: CertificateEntry;
	/** The name of the PDF. */
	readonly file: string;
}

interface UnreadRow {
	readonly at: Place;
	/** The product it names; empty if none. */
	readonly slug: string;
}

export interface CertificateTable {
	readonly found: readonly CertificateRow[];
	readonly unread: readonly UnreadRow[];
	readonly problems: readonly Problem[];
}

const COLUMNS = {
	product_slug: text,
	product_name: { ...text, required: false },
	batch_number: text,
	vial_size: textOrNull,
	tested_on: textOrNull,
	lab_name: textOrNull,
	purity_pct: textOrNull,
	status: text,
	file: text,
} satisfies Record<string, Column>;
type CsvEntry = { readonly [name in keyof typeof COLUMNS]?: string | null };

/** The PDFs that a table names; none if it cannot be read. */
export const pdfsNamedIn = (content: string): ReadonlySet<string> =>
	new Set(readCsv(COLUMNS, "", content).rows.map(({ entry }) => entry["file"] as string));

/** Reads a table of certificates (settlements, section 11), whose column `file` names PDFs. Pure. */
export function readCertificates(
	{ name: csvName, content }: { readonly name: string; readonly content: string },
	pdfs: ReadonlyMap<string, NamedPdf>,
): CertificateTable {
	const found: CertificateRow[] = [];
	const unread: UnreadRow[] = [];
	const { rows, problems } = readCsv(COLUMNS, csvName, content);
	const taken = new Map<string, number | string>();
	for (const { at, entry } of rows) {
		const say: Say = (column, message) => void problems.push({ at: pointAt(at, `/${column}`), message });
		const facts = factsOf(entry, say);
		const file = entry["file"] as string;
		const pdf = pdfs.get(file) ?? "is not among the files";
		if (typeof pdf === "string") say("file", `${JSON.stringify(shortened(file))} ${pdf}`);
		if (facts === null || typeof pdf === "string") {
			unread.push({ at, slug: entry["product_slug"] as string });
			continue;
		}
		const name = JSON.stringify([facts.slug, facts.batchNumber]);
		const first = taken.get(name);
		if (first !== undefined) say("batch_number", `repeats the certificate of line ${first}`);
		taken.set(name, first ?? at.spot);
		found.push({ at, file, entry: { ...facts, ...pdf } });
	}
	return { found, unread, problems };
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
	const status = ENTERED_STATUSES.find((one) => one === entry.status);
	if (status === undefined) complain("status", `must be ${ENTERED_STATUSES.join(", ")}`);
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
