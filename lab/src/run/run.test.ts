import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { FAULTS } from "../faults/faults.ts";
import { SERVICE } from "../plant.ts";
import { reportLines } from "../report.ts";
import { historyOf, run } from "./run.ts";

const full = process.env.GUARANTEES === "full";
/** Minutes of a run. A run in which too little happened, on a busy machine, is repeated with the next number. */
const MINUTES = full ? [10] : [0.25, 0.5, 1, 2];
/** Milliseconds in addition to the work: a start, faults that end late, the final checks. */
const AROUND_MS = 240_000;
const MINUTE_MS = 60_000;
/** Faults of a short run, which need only processes and sockets. */
const EVERYDAY = ["backend-kill", "service-kill", "database-cuts", "client-cuts", "lot-locked"];
/** Partners of a short run pause between requests: several times as many as a verdict needs are sent all the same. */
const EVERYDAY_PACE = { crowd: 1, thinkMs: 100, choreMs: 500 };
const SEED = 20_261_122;

it("under faults, everything acknowledged is there once, no unit is sold twice and every count was true", {
	timeout: MINUTES.reduce((sum, minutes) => sum + minutes * MINUTE_MS + AROUND_MS, 0),
}, async () => {
	for (const minutes of MINUTES) {
		const folder = await mkdtemp(path.join(tmpdir(), "holdfast-lab-test-"));
		const verdict = await run({
			minutes,
			seed: SEED,
			faults: full ? FAULTS : FAULTS.filter(({ name }) => EVERYDAY.includes(name)),
			...(full ? {} : { pace: EVERYDAY_PACE }),
			serviceFolder: SERVICE,
			folder,
			say: () => undefined,
			stopped: new AbortController().signal,
		});
		const isRepeated = verdict.result === "inconclusive" && minutes !== MINUTES.at(-1);
		if (!isRepeated) expect(verdict.result, reportLines(verdict, historyOf(folder)).join("\n")).toBe("passed");
		await rm(folder, { recursive: true, force: true }); // kept if the run failed
		if (!isRepeated) return;
	}
});
