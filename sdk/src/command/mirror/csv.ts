/** A row of a table, with the number of the line that it begins on. */
export interface Row {
	readonly line: number;
	readonly cells: readonly string[];
}

/** The delimiters that spreadsheets write, the usual one first. */
const DELIMITERS = [",", ";", "\t"];

/** The rows of a CSV text (RFC 4180), blank ones left out. The delimiter is that of its first line. */
export function rowsOf(text: string): Row[] {
	const content = text.replace(/^\uFEFF/, "");
	const firstLine = /^.*/.exec(content)?.[0] ?? "";
	const delimiter = DELIMITERS.find((one) => firstLine.includes(one)) ?? ",";
	const cell = new RegExp(`("(?:[^"]|"")*"|(?!")[^${delimiter}\\r\\n]*)(${delimiter}|\\r?\\n|\\r|$)`, "y");
	const rows: Row[] = [];
	let [line, cells]: [number, string[]] = [1, []];
	let startedOn = 1;
	while (cell.lastIndex < content.length || cells.length > 0) {
		const found = cell.exec(content);
		if (found === null)
			throw new SyntaxError(`line ${line}: a cell begins with a quotation mark, and does not end with one`);
		const [whole, written = "", end = ""] = found;
		cells.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written);
		line += whole.split("\n").length - 1;
		if (end === delimiter) continue;
		if (cells.some((one) => one.trim() !== "")) rows.push({ line: startedOn, cells });
		[cells, startedOn] = [[], line];
	}
	return rows;
}
