import { words } from "../words/words.ts";

/** Nothing is sent, because there are no rows that can be read; the message says why. */
export class Unreadable extends Error {}

const CSV = "text/csv";

/**
 * The rows of the form as a CSV file: that of its field `file`, else the text of its field `pasted`, which may come
 * from a spreadsheet. @throws Unreadable
 */
export async function readSheet(form: FormData): Promise<File> {
	const [file, pasted] = [form.get("file"), form.get("pasted")];
	if (file instanceof File && file.name !== "") {
		// a file that was saved again since it was chosen cannot be read any more
		const bytes = await file.arrayBuffer().catch(() => {
			throw new Unreadable(words.tracking.changed);
		});
		return new File([bytes], file.name, { type: CSV });
	}
	if (typeof pasted !== "string" || pasted.trim() === "") throw new Unreadable(words.tracking.neither);
	return new File([withCommas(pasted.trim())], words.tracking.pasted, { type: CSV });
}

/** Cells copied from a spreadsheet are separated by tabs; those with a tab, a quote or a line break are quoted. */
const withCommas = (text: string): string =>
	text.includes("\t") ? text.split(/\r?\n/).map(csvRow).join("\r\n") : text;

const csvRow = (row: string): string =>
	row
		.split("\t")
		.map((cell) => (/[",]/.test(cell) && !cell.startsWith('"') ? `"${cell.replaceAll('"', '""')}"` : cell))
		.join(",");
