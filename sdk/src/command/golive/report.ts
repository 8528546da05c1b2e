import type { GoLive } from "../../client/types.ts";
import { instant } from "../terminal.ts";
import { nextFor, nextLook, underWay, wordOf } from "./describe-run.ts";

/** A run as a page of Markdown, for whoever decides on going live. `key`: the public half. */
export function reportOf(run: GoLive, key: string, at: Date): string {
	const { lastLook } = run;
	return `${[
		`# Go-live ${run.number}: ${run.passed ? "passed" : "not passed"}`,
		`${run.line}. Read with the key \`${key}\` at ${instant(at)}; the operator's own report is the one that counts.`,
		[
			`- State: ${run.state}, started at ${instant(run.startedAt)}${run.endedAt === null ? "" : `, ended at ${instant(run.endedAt)}`}`,
			`- Status address: ${run.statusUrl ?? "none"}`,
			`- SKUs: ${run.skus.join(", ") || "none"}`,
			...[...underWay(run), ...nextLook(run)].map((line) => `- ${line}`),
		].join("\n"),
		...run.checks.map(sectionOf),
		...(lastLook === null ? [] : [lookOf(lastLook)]),
	].join("\n\n")}\n`;
}

function sectionOf(check: GoLive["checks"][number]): string {
	const { since, review, waiver, evidence } = check;
	return [
		`## ${check.title}: ${wordOf(check)}`,
		"",
		`Check \`${check.check}\`${check.optional ? ", optional" : ""}. Passed when: ${check.passedWhen}`,
		"",
		`- Seen${since === null ? "" : `, since ${instant(since)}`}: ${check.says}`,
		...nextFor(check).map((line) => `- To do: ${line}`),
		...(review === null
			? []
			: [`- Reviewed at ${instant(review.at)}: ${review.passed ? "passed" : "not passed"}, ${review.words}`]),
		...(waiver === null ? [] : [`- Waived at ${instant(waiver.at)}: ${waiver.reason}`]),
		...(evidence.length === 0 ? [] : [`- Evidence: ${evidence.map((id) => `\`${id}\``).join(", ")}`]),
	].join("\n");
}

function lookOf({ at, source, problem, items }: NonNullable<GoLive["lastLook"]>): string {
	const head = `## Last look, at ${instant(at)}, ${source === "posted" ? "posted by the site" : "read from the status address"}`;
	if (problem !== null) return `${head}\n\nIt could not be read: ${problem}.`;
	const rows = items.map(({ sku, shownQty, hidden, atpQty, coaUrl }) => {
		const shown = hidden ? "hidden" : String(shownQty ?? "no number");
		return `| ${[sku, shown, String(atpQty ?? "none"), coaUrl ?? "none"].map(cell).join(" | ")} |`;
	});
	return [head, "", "| SKU | Shown | Count | Certificate |", "|---|---|---|---|", ...rows].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
