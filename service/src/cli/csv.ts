/** A cell that a spreadsheet would evaluate as a formula (settlements, section 8). */
const FORMULA = /^[=+\-@\t\r\n]/;

type Cell = string | number | null;

/** Formats rows and their headings as CSV for spreadsheets: RFC 4180, CRLF. */
export const toCsv = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
	[headings, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

function cell(value: Cell): string {
	if (value === null) return "";
	if (typeof value === "number") return String(value);
	const text = FORMULA.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
