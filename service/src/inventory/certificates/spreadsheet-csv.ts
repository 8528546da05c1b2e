import { stringify } from "csv-stringify/sync";

/** Matches a cell that a spreadsheet would treat as a formula (settlements, section 8). */
const FORMULA = /^[=+\-@\t\r\n]/;
const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Rows as CSV for spreadsheets (RFC 4180) with a header. A cell that is null or absent is empty. */
export const spreadsheetCsv = (columns: readonly string[], rows: readonly object[]): string =>
	stringify([...rows], {
		header: true,
		columns: [...columns],
		record_delimiter: "\r\n",
		quoted_match: /[\r\n]/, // the library quotes only a whole CRLF
		cast: { string: harmless },
	});
