/** `npm run lab`: one run, one verdict. See lab/README.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runAllBugs } from "./all-bugs.ts";
import { openCase } from "./check/check.ts";
import { clusterTrial } from "./cluster/main.ts";
import { FAULTS } from "./faults/faults.ts";
import type { Fault } from "./ground/types.ts";
import { DEFAULT_MINUTES, type Options, readOptions, USAGE } from "./options.ts";
import { bugNamed, plant, SERVICE } from "./plant.ts";
import { readHistory } from "./recorder.ts";
import { reportLines } from "./report.ts";
import { ROOMS } from "./rooms/rooms.ts";
import { historyOf, judgeHistory, run } from "./run/run.ts";
import { runTrial } from "./trials/trial.ts";
import { TRIALS } from "./trials/trials.ts";
import type { Verdict } from "./verdict.ts";

const EXIT = { passed: 0, failed: 1, inconclusive: 2 } as const;

async function main(): Promise<void> {
	const args = process.argv.slice(2);
	if (args[0] === "cluster") {
		process.exit(await clusterTrial(import.meta.filename, args.slice(1)));
	}
	if (args[0] === "trial") return await tryOne(args[1], args.slice(2));
	const options = readOptions(args);
	if (options === null) return console.log(USAGE);
	if (options.check !== null) return await checkAgain(options.check);
	const began = performance.now();
	const say = (line: string): void =>
		console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
	const stopped = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM"] as const) {
		process.once(signal, () => stopped.abort(new Error(`${signal}: stopped before the end`)));
	}
	if (options.allBugs) {
		const uncaught = await runAllBugs(options, say, stopped.signal);
		process.exitCode = uncaught === 0 ? EXIT.passed : EXIT.failed;
		return;
	}
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-lab-run-"));
	const verdict = await runOnce(options, folder, say, stopped.signal);
	const keep = options.keep || verdict.result !== "passed";
	if (!keep) await rm(folder, { recursive: true, force: true });
	console.log(
		options.json ? JSON.stringify(verdict, null, 1) : reportLines(verdict, keep ? historyOf(folder) : null).join("\n"),
	);
	process.exitCode = EXIT[verdict.result];
}

async function runOnce(
	options: Options,
	folder: string,
	say: (line: string) => void,
	stopped: AbortSignal,
): Promise<Verdict> {
	const bug = options.bug === null ? null : bugNamed(options.bug);
	const serviceFolder = bug === null ? SERVICE : await plant(bug, path.join(folder, "planted"));
	const faults = faultsNamed(options.faults ?? (bug === null ? null : bug.faults));
	const minutes = options.minutes ?? bug?.minutes ?? DEFAULT_MINUTES;
	return await run({ ...options, minutes, faults, serviceFolder, folder, say, stopped });
}

/** The kinds of fault with these names; null: all. */
function faultsNamed(names: readonly string[] | null): readonly Fault[] {
	if (names === null) return FAULTS;
	return names.map((name) => {
		const fault = FAULTS.find((known) => known.name === name);
		if (!fault)
			throw new Error(`there is no fault "${name}"; the faults are ${FAULTS.map((known) => known.name).join(", ")}`);
		return fault;
	});
}

async function tryOne(name: string | undefined, args: readonly string[]): Promise<void> {
	const trial = TRIALS.find((known) => known.name === name);
	if (!trial) throw new Error(`name one of these trials: ${TRIALS.map((known) => known.name).join(", ")}`);
	process.exitCode = await runTrial(trial, args);
}

async function checkAgain(file: string): Promise<void> {
	const findings = judgeHistory(openCase(await readHistory(file), ROOMS));
	for (const { wrong, what, at } of findings)
		console.log(`${at === null ? "at the end" : `${(at / 1_000).toFixed(3)} s`}: ${wrong}: ${what}`);
	console.log(`${findings.length} findings`);
	process.exitCode = findings.length === 0 ? EXIT.passed : EXIT.failed;
}

await main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.stack : error);
	process.exitCode = EXIT.inconclusive;
});
