import { expect, it } from "vitest";
import { wallClock } from "../../ground/lib/clock.ts";
import { createMetrics } from "./metrics.ts";

/** The samples of the registry, by name and labels. */
async function samplesOf(metrics: ReturnType<typeof createMetrics>): Promise<Map<string, number>> {
	const lines = (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("holdfast_task"));
	return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

it("each task shows its runs by outcome, their duration, its last run and its last error under its own name", async () => {
	const metrics = createMetrics();
	const before = wallClock().getTime() / 1_000;
	const sweep = metrics.task("sweep");
	metrics.task("idle");
	sweep("done", 3);
	const afterOne = await samplesOf(metrics);
	expect(afterOne.has('holdfast_task_last_error_timestamp_seconds{task="sweep"}')).toBe(false);
	sweep("failed", 2_000);
	sweep("done", 20);
	const samples = await samplesOf(metrics);
	for (const [name, value] of [
		['holdfast_task_runs_total{task="sweep",outcome="done"}', 2],
		['holdfast_task_runs_total{task="sweep",outcome="failed"}', 1],
		['holdfast_task_runs_total{task="idle",outcome="done"}', 0],
		['holdfast_task_runs_total{task="idle",outcome="failed"}', 0],
		['holdfast_task_run_seconds_count{task="sweep"}', 3],
		['holdfast_task_run_seconds_bucket{le="0.025",task="sweep"}', 2],
		['holdfast_task_run_seconds_bucket{le="2.5",task="sweep"}', 3],
	] as const) {
		expect([name, samples.get(name)]).toEqual([name, value]);
	}
	expect(samples.get('holdfast_task_run_seconds_sum{task="sweep"}')).toBeCloseTo(2.023);
	for (const moment of ["last_run", "last_error"]) {
		expect(samples.get(`holdfast_task_${moment}_timestamp_seconds{task="sweep"}`)).toBeGreaterThanOrEqual(before);
	}
	expect(samples.has('holdfast_task_last_run_timestamp_seconds{task="idle"}')).toBe(false);
});
