import type { Query } from "../../ground/pg/connect.ts";
import { type CsvKind, csvHeader, csvRow } from "./csv.ts";
import { selectSectionPage } from "./section-sql.ts";

/** Rows read at a time. */
const ROWS_AT_ONCE = 5_000;

/** Yields a section, piece by piece, as the CSV file that an import reads. */
export async function* readSection(db: Query, section: CsvKind): AsyncGenerator<string> {
	yield csvHeader(section);
	let after: string | null = null;
	do {
		const rows = await selectSectionPage(db, section, after, ROWS_AT_ONCE);
		if (rows.length > 0) yield rows.map((row) => csvRow(section, row)).join("");
		after = rows.length === ROWS_AT_ONCE ? (rows.at(-1)?.key ?? null) : null;
	} while (after !== null);
}
