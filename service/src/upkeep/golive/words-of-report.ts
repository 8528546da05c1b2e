import type { FiledReport } from "./read-report.ts";

/** The heading of a report. */
export const titleOf = ({ number, partner, final }: FiledReport): string =>
	`Go-live ${number} of ${partner}${final ? "" : " (not finished)"}`;

/** What a report says about its run: names and values. */
export function factsOf(report: FiledReport): (readonly [name: string, value: string])[] {
	const { numbers, drills, retirement } = report;
	return [
		["Sandbox key", `${report.sandbox_key} (${report.key_name})`],
		["Started", `${report.started_at} by ${report.started_by}`],
		["Judged up to", report.as_of],
		...(report.finished_by === null ? [] : [["Finished by", report.finished_by] as const]),
		...(report.production_key === null
			? []
			: [["Production key", `${report.production_key}, brand ${report.brand_code}`] as const]),
		["Status address", report.status_url ?? "none"],
		["SKUs", report.skus.join(", ") || "none"],
		[
			"Judged",
			`${numbers.requests} requests, ${numbers.looks} looks, ${numbers.messages} messages, ${numbers.deliveries} deliveries`,
		],
		["Drills", drills.map(({ from, to }) => `${from} to ${to ?? "now"}`).join("; ") || "none"],
		[
			"Retired",
			retirement === null ? "none" : `batch ${retirement.batch_number} of ${retirement.slug} at ${retirement.at}`,
		],
		...(report.left_out.length === 0 ? [] : [["Left out", report.left_out.join("; ")] as const]),
		["Set of checks", report.checks_version],
		["Digest", report.digest],
	];
}

/** What a report says about a check besides its verdict: notes of a sentence or two. */
export function notesOf({ since, says, cure, review, waiver }: FiledReport["checks"][number]): string[] {
	return [
		since === null ? says : `${says} (since ${since})`,
		...(cure === null ? [] : [`To do: ${cure}`]),
		...(review === null
			? []
			: [`Verdict of ${review.by} at ${review.at}: ${review.passed ? "passed" : "not passed"}.`]),
		...(waiver === null ? [] : [`Waived by ${waiver.by} at ${waiver.at}: ${waiver.reason}`]),
	];
}
