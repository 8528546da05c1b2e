import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { FAULTS } from "../faults/faults.ts";
import { SERVICE } from "../plant.ts";
import { reportLines } from "../report.ts";
import { historyOf, run } from "./run.ts";

const full = process.env.GUARANTEES === "full";
const MINUTES = full ? 10 : 0.25;
/** Milliseconds beyond those of work: a start, the faults that end late, looking everything up. */
const AROUND_MS = 240_000;
const MINUTE_MS = 60_000;
/** Of a short run: faults that need nothing of the machine but processes and sockets. */
const EVERYDAY = ["backend-kill", "service-kill", "database-cuts", "client-cuts", "lot-locked"];
const SEED = 20_261_122;

it("under faults, everything acknowledged is there once, no unit is sold twice and every count was true", {
	timeout: MINUTES * MINUTE_MS + AROUND_MS,
}, async () => {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-lab-test-"));
	const verdict = await run({
		minutes: MINUTES,
		seed: SEED,
		faults: full ? FAULTS : FAULTS.filter(({ name }) => EVERYDAY.includes(name)),
		serviceFolder: SERVICE,
		folder,
		say: () => undefined,
		stopped: new AbortController().signal,
	});
	expect(verdict.result, reportLines(verdict, historyOf(folder)).join("\n")).toBe("passed");
	await rm(folder, { recursive: true, force: true }); // kept when it failed
});
