import type { Query } from "../../ground/pg/connect.ts";
import { loadResult } from "./load-result.ts";
import { digestOf, type Report, reportOf } from "./report.ts";
import type { GoLiveRun } from "./run.ts";
import { selectReport } from "./sql.ts";

export type FiledReport = Report & { readonly digest: string };

/** The report of a run: for a finished run the filed one, otherwise a preliminary one. */
export async function readReport(db: Query, run: GoLiveRun): Promise<FiledReport> {
	if (run.digest !== null) return { ...((await selectReport(db, run.goLiveId)) as Report), digest: run.digest };
	const { loaded, result } = await loadResult(db, run);
	const report = reportOf(run, loaded, result, null);
	return { ...report, digest: digestOf(report) };
}
