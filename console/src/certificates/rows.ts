import type { CallProblem, DataOf } from "../api/call.ts";

/** Maximum size of a PDF in bytes (settlements, section 11). */
const MAX_PDF_BYTES = 20 * 1024 * 1024;
/** The name of the table of an import. */
const TABLE = "certificates.csv";
/** The columns of the table that a person fills in, as the API names them. */
const COLUMNS = ["product_slug", "batch_number", "vial_size", "tested_on", "lab_name", "purity_pct"] as const;
export type CertificateColumn = (typeof COLUMNS)[number];
/** What was typed about a certificate, by column; empty: nothing. */
export type CertificateFields = Readonly<Record<CertificateColumn, string>>;
/** The states that a certificate may be entered in. */
export type EnteredStatus = DataOf<"import_certificates">["changes"][number]["status"];

/** A certificate to be created: its PDF, and what was typed about it. */
export interface NewCertificate {
	/** The name of the PDF, unique in its table. */
	readonly name: string;
	readonly file: File;
	readonly fields: CertificateFields;
}

/** Whether a file may be the PDF of a certificate; the service examines its content. */
export const mayBePdf = ({ name, size }: File): boolean => /\.pdf$/i.test(name) && size > 0 && size <= MAX_PDF_BYTES;

/** Adds files to what is there, each under its own name, with the product and batch number that its name contains. */
export function withFiles(
	rows: readonly NewCertificate[],
	files: readonly File[],
	slugs: readonly string[],
): readonly NewCertificate[] {
	const all = [...rows];
	for (const file of files) {
		const name = freeName(file.name, new Set(all.map((row) => row.name)));
		all.push({ name, file, fields: { ...EMPTY, ...guess(file.name, slugs) } });
	}
	return all;
}

const EMPTY: CertificateFields = {
	product_slug: "",
	batch_number: "",
	vial_size: "",
	tested_on: "",
	lab_name: "",
	purity_pct: "",
};

function freeName(name: string, taken: ReadonlySet<string>): string {
	for (let n = 2, free = name; ; n++) {
		if (!taken.has(free)) return free;
		free = name.replace(/(\.[^.]*)?$/, (ending) => ` (${n})${ending}`);
	}
}

/** `glow-serum_C-2611.pdf`: the longest slug that the name begins with, and the rest. */
function guess(name: string, slugs: readonly string[]): Pick<CertificateFields, "product_slug" | "batch_number"> {
	const stem = name.replace(/\.pdf$/i, "");
	const begins = slugs.filter((slug) => stem.toLowerCase().startsWith(slug.toLowerCase()));
	const slug = begins.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
	const only = slugs.length === 1 ? (slugs[0] ?? "") : "";
	return { product_slug: slug === "" ? only : slug, batch_number: stem.slice(slug.length).replace(/^[\s_-]+/, "") };
}

/** The table of an import. `forAll`: the values of rows that have none of their own. */
export function tableOf(
	rows: readonly NewCertificate[],
	forAll: Partial<CertificateFields>,
	status: EnteredStatus,
): File {
	const lines = rows.map(({ name, fields }) => {
		const cells = COLUMNS.map((column) => fields[column].trim() || (forAll[column] ?? "").trim());
		return [...cells, status, name].map(quoted).join(",");
	});
	const text = [[...COLUMNS, "status", "file"].join(","), ...lines].join("\r\n");
	return new File([text], TABLE, { type: "text/csv" });
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** The problems of each row by column (`""`: of the whole row), and those that belong to no row. */
export interface SortedProblems {
	readonly rows: readonly ReadonlyMap<string, string>[];
	readonly others: readonly CallProblem[];
}

/**
 * Sorts the problems of a refusal by what they are about: `certificates.csv line 2, batch_number`, or the name of a
 * PDF.
 */
export function sortProblems(problems: readonly CallProblem[], rows: readonly NewCertificate[]): SortedProblems {
	const sorted = rows.map(() => new Map<string, string>());
	const others: CallProblem[] = [];
	for (const problem of problems) {
		const { at, message } = problem;
		const [, line, column = ""] = /^certificates\.csv line (\d+)(?:, (\w+))?$/.exec(at) ?? [];
		const n = line === undefined ? rows.findIndex(({ name }) => name === at) : Number(line) - 2;
		const row = sorted[n];
		if (row === undefined) others.push(problem);
		else row.set(line === undefined ? "file" : column, message);
	}
	return { rows: sorted, others };
}
