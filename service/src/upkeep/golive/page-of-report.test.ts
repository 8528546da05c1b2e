import { describe, expect, it } from "vitest";
import { REPORT_POLICY, reportPage } from "./page-of-report.ts";
import type { FiledReport } from "./read-report.ts";

const report: FiledReport = {
	number: 7,
	golive_id: "0199f0a0-0000-7000-8000-0000000000d1",
	final: true,
	checks_version: "2026-11-26.1",
	partner: "<b>North</b> & Sons",
	sandbox_key: "pk_hf_sandbox_x",
	key_name: 'shop"',
	scopes: ["atp.check"],
	status_url: "https://shop.example.com/?a=1&b='2'",
	skus: ["SBX-LOW"],
	started_at: "2026-12-01T08:00:00.000Z",
	started_by: "operator:ada",
	as_of: "2026-12-03T15:00:00.000Z",
	finished_by: "operator:grace",
	production_key: "pk_hf_live_x",
	brand_code: "ACME",
	passed: true,
	line: "passed 1 of 2, 1 waiting, 1 waived",
	missing: [],
	checks: [
		{
			check: "coa_feed",
			title: "Withdrawn certificates are fetched",
			passed_when: "After a retirement.",
			optional: false,
			verdict: "waiting",
			since: null,
			says: "No certificate was retired for the run yet.",
			cure: "Ask the operator.",
			evidence: [],
			review: null,
			waiver: { at: "2026-12-03T14:00:00.000Z", by: "operator:ada", reason: "<script>alert(1)</script>" },
		},
	],
	numbers: { requests: 1, looks: 2, messages: 3, deliveries: 4, drills: 1 },
	drills: [{ from: "2026-12-02T09:00:00.000Z", to: null }],
	retirement: null,
	left_out: [],
	digest: "d1",
};

describe("A report as a page", () => {
	const page = reportPage(report);

	it("shows who waived a check, and why", () => {
		expect(page).toContain("Waived by operator:ada at 2026-12-03T14:00:00.000Z: &lt;script&gt;alert(1)&lt;/script&gt;");
		expect(page).toContain("passed 1 of 2, 1 waiting, 1 waived");
	});

	it("has no markup but its own", () => {
		expect(page).not.toMatch(/<script|<b>|b='2'|shop"\)/);
		expect(page).toContain("&lt;b&gt;North&lt;/b&gt; &amp; Sons");
	});

	it("loads and runs nothing", () => {
		expect(REPORT_POLICY).toMatch(/^default-src 'none'; style-src 'sha256-/);
		expect(page).not.toMatch(/\bsrc=|\bhref=/);
	});
});
