import { hash } from "node:crypto";
import { escapeHtml } from "../../ground/lib/escape-html.ts";
import type { FiledReport } from "./read-report.ts";
import { factsOf, notesOf, titleOf } from "./words-of-report.ts";

const STYLE =
	"body{font:15px/1.5 system-ui,sans-serif;color:#111;max-width:50rem;margin:2rem auto;padding:0 1rem}" +
	"h1{font-size:1.5rem}h2{font-size:1.05rem;margin:1.6rem 0 .2rem}" +
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{color:#666}dd{margin:0;overflow-wrap:anywhere}" +
	"p{margin:.2rem 0;overflow-wrap:anywhere}.small{color:#666;font-size:.85rem}.waived{border-left:4px solid #b45309;padding-left:.6rem}";

/** The page loads nothing and runs nothing. */
export const REPORT_POLICY = [
	"default-src 'none'",
	`style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** A report as a separate page. */
export function reportPage(report: FiledReport): string {
	const title = titleOf(report);
	const facts = factsOf(report).map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`);
	const checks = report.checks.map((check) => {
		const waived = check.waiver === null ? "" : ' class="waived"';
		const notes = notesOf(check).map((note) => `<p>${escapeHtml(note)}</p>`);
		const evidence = check.evidence.length === 0 ? "" : `<p class="small">${escapeHtml(check.evidence.join(", "))}</p>`;
		return `<section${waived}><h2>${escapeHtml(`${check.title}: ${check.verdict}`)}</h2><p class="small">${escapeHtml(check.passed_when)}</p>${notes.join("")}${evidence}</section>`;
	});
	return [
		`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
		`<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>`,
		`<h1>${escapeHtml(title)}</h1><p><strong>${escapeHtml(report.line)}</strong></p><dl>${facts.join("")}</dl>`,
		...checks,
		"</body></html>",
	].join("");
}
