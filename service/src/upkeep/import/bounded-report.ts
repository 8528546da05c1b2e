import type { ImportReport } from "./apply-world.ts";

/**
 * Characters of JSON that each list of a stored report may have. The report is one row of a table, and a backup is read
 * back in chunks of at most 64 MiB.
 */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The report as it is stored. What does not fit is left out and counted; lots in quarantine are kept first. */
export function boundedReport(report: ImportReport, most = MOST_CHARACTERS): ImportReport {
	const changes = fitting(report.changes, most);
	const formulas = fitting(report.formulas, most);
	const urgent = fitting(
		report.lots.toSorted((a, b) => Number(b.quarantined) - Number(a.quarantined)),
		most,
	);
	const lots = urgent.length < report.lots.length ? urgent : report.lots;
	const total = (one: Pick<ImportReport, "changes" | "formulas" | "lots">): number =>
		one.changes.length + one.formulas.length + one.lots.length;
	const leftOut = total(report) - total({ changes, formulas, lots });
	return leftOut === 0 ? report : { ...report, changes, formulas, lots, left_out: leftOut };
}

/** The first items whose JSON has at most this number of characters together. */
function fitting<T>(items: T[], most: number): T[] {
	let size = 0;
	const end = items.findIndex((item) => (size += JSON.stringify(item).length) > most);
	return end === -1 ? items : items.slice(0, end);
}
