import { CsvError, parse } from "csv-parse/sync";
import type { Paced } from "../../ground/lib/paced.ts";
import { type EntryKind, type Placed, type Problem, pointAt, type World } from "./entries.ts";
import { takeRow } from "./world.ts";

export interface Column {
	readonly required: boolean;
	/**
	 * Converts a cell to the value world.json would have. Text that cannot be converted stays as it is, and the schema
	 * refuses it.
	 */
	readonly read: (cell: string) => unknown;
}
export const text: Column = { required: true, read: (cell) => cell };
export const textOrNull: Column = { required: false, read: (cell) => (cell === "" ? null : cell) };
/** An empty cell is the same as a member that world.json leaves out. */
const textOrAbsent: Column = { required: false, read: (cell) => (cell === "" ? undefined : cell) };
const brand: Column = { required: true, read: (cell) => (cell === "" ? null : cell) };
const number: Column = { required: true, read: (cell) => (/^\d{1,15}$/.test(cell) ? Number(cell) : cell) };
const recipe: Column = { required: false, read: (cell) => (cell === "" ? [] : cell.split(";").map(readComponent)) };

/** `FORMULA*2` is two units of FORMULA. */
function readComponent(cell: string): unknown {
	const star = cell.lastIndexOf("*");
	return { formula: cell.slice(0, Math.max(star, 0)), per_kit: number.read(cell.slice(star + 1)) };
}

/**
 * The columns of each file. An empty `brand_code` means the shared stock; `components` reads
 * `formula*per_kit;formula*per_kit`.
 */
const FILES = {
	brands: { code: text, name: text },
	formulas: { code: text, name: text, status: text },
	products: { slug: text, name: text },
	skus: { sku: text, name: text, product: textOrNull, kind: text, vial_size: textOrNull, components: recipe },
	lots: {
		formula: text,
		brand_code: brand,
		batch_number: text,
		expires_on: textOrAbsent,
		received_on: textOrNull,
		units: number,
	},
	demand: { formula: text, brand_code: brand, units: number, reference: text },
	buffers: { formula: text, brand_code: brand, units: number },
	partners: { name: text },
} as const satisfies { readonly [K in EntryKind]?: Readonly<Record<string, Column>> };
/** A section that has a CSV file; keys come from world.json only. */
export type CsvKind = keyof typeof FILES;
/** `skus` for `skus.csv`. */
export const CSV_KINDS = Object.keys(FILES) as readonly CsvKind[];

/** The header row of the file of a section. */
export const csvHeader = (kind: CsvKind): string => `${Object.keys(FILES[kind]).join(",")}\r\n`;

/** A row of the file, from the values of its columns by name. */
export const csvRow = (kind: CsvKind, values: Readonly<Record<string, string | number | null>>): string =>
	`${Object.keys(FILES[kind])
		.map((column) => cellOf(values[column]))
		.join(",")}\r\n`;

/**
 * A cell that an import reads back unchanged: nothing is added before characters that make spreadsheets treat a cell as
 * a formula.
 */
function cellOf(value: string | number | null | undefined): string {
	const cell = `${value ?? ""}`;
	return /[",;\r\n\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

interface CsvRecord {
	record: string[];
	info: { lines: number };
}

/** Reads one CSV file (RFC 4180, UTF-8, header row) into the world. Problems name file and line. */
export function* takeCsv(world: World, kind: CsvKind, file: string, content: string): Paced<Problem[]> {
	const problems: Problem[] = [];
	for (const part of readParts(FILES[kind], file, content)) {
		for (const problem of part.problems) problems.push({ ...problem, unread: { section: kind } });
		for (const { at, entry } of part.rows) problems.push(...takeCells(world, kind, entry, at));
		yield;
	}
	return problems;
}

/** The problems of a row, one for each cell. A cell has no null: it is empty. */
function takeCells(world: World, kind: CsvKind, entry: object, at: Placed["at"]): Problem[] {
	const named = takeRow(world, kind, entry, at).map(({ pointer, ...problem }): Problem => {
		const isRecipe = kind === "skus" && pointer.startsWith("/components/");
		return { ...problem, message: isRecipe ? RECIPE_EXPECTED : problem.message.replace(/, or null\b/, ", or empty") };
	});
	return named.filter((problem, i) => named.findIndex((first) => first.at === problem.at) === i);
}

interface CsvRows {
	/** Each row with the values of its columns, by column name. */
	readonly rows: readonly Placed<Readonly<Record<string, unknown>>>[];
	readonly problems: Problem[];
}

/** Reads a CSV file with these columns in any order; the required ones must be present. */
export function readCsv(columns: Readonly<Record<string, Column>>, file: string, content: string): CsvRows {
	const parts = [...readParts(columns, file, content)];
	return { rows: parts.flatMap(({ rows }) => rows), problems: parts.flatMap(({ problems }) => problems) };
}

/** The same, part by part: parsing a large file takes seconds. A file that is not CSV ends with that problem. */
function* readParts(
	columns: Readonly<Record<string, Column>>,
	file: string,
	content: string,
): Generator<CsvRows, void, undefined> {
	const delimiter = delimiterOf(content, columns);
	let header: readonly string[] | null = null;
	for (const { text, linesBefore } of splitRecords(content)) {
		const parsed = parsePart(text, delimiter);
		if ("error" in parsed) {
			const at = pointAt({ file, spot: linesBefore + parsed.line });
			return yield { rows: [], problems: [{ at, message: `is not CSV: ${parsed.error}` }] };
		}
		const { records } = parsed;
		if (header === null) {
			header = records.shift()?.record ?? [];
			const faults = faultsOfHeader(header, columns);
			const at = pointAt({ file, spot: 1 });
			if (faults.length > 0) return yield { rows: [], problems: faults.map((message) => ({ at, message })) };
		}
		yield toRows(records, { columns, header, file, linesBefore });
	}
}

function parsePart(text: string, delimiter: string): { records: CsvRecord[] } | { error: string; line: number } {
	const options = { delimiter, info: true, bom: true, relax_column_count: true, skip_empty_lines: true } as const;
	try {
		return { records: parse(text, options) as unknown as CsvRecord[] };
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		const { lines, message } = error as CsvError & { lines?: number };
		return { error: message, line: lines ?? 1 };
	}
}

interface Layout {
	readonly columns: Readonly<Record<string, Column>>;
	readonly header: readonly string[];
	readonly file: string;
	readonly linesBefore: number;
}

function toRows(records: readonly CsvRecord[], { columns, header, file, linesBefore }: Layout): CsvRows {
	const problems: Problem[] = [];
	const rows: CsvRows["rows"][number][] = [];
	for (const { record, info } of records) {
		const at = { file, spot: linesBefore + info.lines };
		if (record.length === header.length) {
			const entry = Object.fromEntries(header.map((name, i) => [name, columns[name]?.read(record[i] ?? "")]));
			rows.push({ at, entry });
			continue;
		}
		const message = `has ${record.length} cells where the header has ${header.length}`;
		problems.push({ at: pointAt(at), message });
	}
	return { rows, problems };
}

/** Minimum number of characters that are parsed at a time: some milliseconds of work. */
const PART_LENGTH = 64 * 1024;
const [QUOTE, LINE_FEED] = ['"', "\n"].map((one) => one.charCodeAt(0));

/** Splits a file at line feeds outside of quotes. If a quote is never closed, the rest of the file is one part. */
function* splitRecords(content: string): Generator<{ text: string; linesBefore: number }, void, undefined> {
	let [from, lines, linesBefore, isQuoted] = [0, 0, 0, false];
	for (let at = 0; at < content.length; at++) {
		const code = content.charCodeAt(at);
		if (code === QUOTE) isQuoted = !isQuoted;
		if (code !== LINE_FEED) continue;
		lines++;
		if (isQuoted || at - from < PART_LENGTH) continue;
		yield { text: content.slice(from, at + 1), linesBefore };
		[from, linesBefore] = [at + 1, lines];
	}
	if (from < content.length || from === 0) yield { text: content.slice(from), linesBefore };
}

/** Delimiters that spreadsheets write; a comma unless the header shows another. */
const DELIMITERS = [",", ";", "\t"] as const;

/** The delimiter by which the header has the most known columns. */
function delimiterOf(content: string, columns: Readonly<Record<string, Column>>): string {
	const header = content.replace(/^\uFEFF/, "").split(/\r?\n/, 1)[0] ?? "";
	const known = (delimiter: string): number =>
		header.split(delimiter).filter((name) => Object.hasOwn(columns, name.replace(/^"(.*)"$/, "$1"))).length;
	return DELIMITERS.reduce<string>((best, next) => (known(next) > known(best) ? next : best), ",");
}

const RECIPE_EXPECTED = "must be formula*per_kit;formula*per_kit, each formula once and per_kit 1 to 10000";

function faultsOfHeader(header: readonly string[], columns: Readonly<Record<string, Column>>): string[] {
	const known = `the columns are ${Object.keys(columns).join(",")}, separated by commas, semicolons or tabs`;
	const faults: string[] = [];
	for (const [i, name] of header.entries()) {
		if (!Object.hasOwn(columns, name)) faults.push(`column ${JSON.stringify(name)} is not known: ${known}`);
		else if (header.indexOf(name) !== i) faults.push(`column ${name} appears twice`);
	}
	for (const [name, { required }] of Object.entries(columns)) {
		if (required && !header.includes(name)) faults.push(`column ${name} is missing: ${known}`);
	}
	return faults;
}
