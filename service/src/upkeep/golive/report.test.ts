import { describe, expect, it } from "vitest";
import { goodRun } from "../../../test/golive/good-run.ts";
import type { GoLiveFacts } from "./facts.ts";
import { digestOf, reportOf } from "./report.ts";
import { resultOf } from "./result.ts";
import type { GoLiveRun } from "./run.ts";

const RUN: GoLiveRun = {
	goLiveId: "0199f0a0-0000-7000-8000-0000000000d1",
	number: 7,
	state: "running",
	keyId: "0199f0a0-0000-7000-8000-0000000000c1",
	pk: "pk_hf_sandbox_x",
	keyName: "shop",
	partnerId: "0199f0a0-0000-7000-8000-0000000000b1",
	partner: "North Web Shop",
	scopes: ["atp.check"],
	statusUrl: "https://shop.example.com/status.json",
	mapped: ["SBX-LOW"],
	startedAt: new Date("2026-12-01T08:00:00.000Z"),
	startedBy: "operator:ada",
	endedAt: null,
	endedBy: null,
	endReason: null,
	digest: null,
	productionKey: null,
	drillUntil: null,
	unkindUntil: null,
	lookDueAt: null,
	probesDue: false,
	retirementDue: false,
};
const UNCUT = { requests: false, bodies: false };
const report = (facts: GoLiveFacts, cut = UNCUT) =>
	reportOf(RUN, { facts, waivers: [], cut }, resultOf(facts, []), null);

describe("A report", () => {
	it("says how many checks are passed, and lists each with its evidence", () => {
		const { line, passed, checks, final } = report(goodRun());
		expect({ line, passed, final }).toEqual({ line: "passed 12 of 12", passed: true, final: false });
		expect(checks.every(({ evidence, says }) => evidence.length > 0 && says !== "")).toBe(true);
	});

	it("has a digest that anybody can compute, whatever the order of its members", () => {
		const whole = report(goodRun());
		const turned = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(whole).toReversed())));
		expect(digestOf(turned)).toBe(digestOf(whole));
		expect(digestOf({ ...whole, line: "passed 12 of 13" })).not.toBe(digestOf(whole));
	});

	it("says what was left out", () => {
		expect(report(goodRun()).left_out).toEqual([]);
		expect(report(goodRun(), { requests: true, bodies: true }).left_out).toHaveLength(2);
	});
});

describe("A waiver", () => {
	const facts = { ...goodRun(), probes: [] };
	const waiver = { check: "webhooks", at: facts.now, by: "operator:ada", reason: "its receiver comes later" } as const;

	it("lets a run finish without a check, in plain sight", () => {
		expect(resultOf(facts, [])).toMatchObject({ passed: false, missing: ["webhooks"] });
		const { passed, line, checks } = resultOf(facts, [waiver]);
		expect({ passed, line }).toEqual({ passed: true, line: "passed 11 of 12, 1 waiting, 1 waived" });
		expect(checks.find(({ check }) => check === "webhooks")).toMatchObject({ verdict: "waiting", waiver });
	});

	it("counts for nothing once its check is passed", () => {
		expect(resultOf(goodRun(), [waiver]).line).toBe("passed 12 of 12");
	});
});
