import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Bug } from "./bug.ts";
import { BUGS } from "./bugs.ts";
import { WRONGS, type Wrong } from "./check/findings.ts";
import { FAULTS } from "./faults/faults.ts";
import { plant } from "./plant.ts";
import { run } from "./run/run.ts";
import type { Verdict } from "./verdict.ts";

/** Maximum number of runs for a bug: whether a race is lost in two minutes is a matter of chance. */
const MOST_RUNS = 3;

export interface AllBugsOptions {
	readonly seed: number;
	/** Number of bugs that are tried at the same time, each at a ground of its own. */
	readonly atOnce: number;
}

/**
 * Plants each bug and prints whether the lab caught it; a run that did not is repeated with the next seed, and the
 * table says so. Returns the number of bugs that the lab did not catch.
 */
export async function runAllBugs(
	{ seed, atOnce }: AllBugsOptions,
	say: (line: string) => void,
	stopped: AbortSignal,
): Promise<number> {
	let [next, uncaught] = [0, 0];
	const tryNext = async (): Promise<void> => {
		for (let bug = BUGS[next++]; bug !== undefined; bug = BUGS[next++]) {
			if (!(await tryBug(bug, seed, say, stopped).catch(notTried(bug, stopped)))) uncaught++;
		}
	};
	await Promise.all(Array.from({ length: atOnce }, tryNext));
	console.log(`${BUGS.length - uncaught} of ${BUGS.length} planted bugs caught`);
	return uncaught;
}

/** A bug that cannot be tried counts as not caught, and the others are still tried. */
const notTried =
	(bug: Bug, stopped: AbortSignal) =>
	(error: Error): false => {
		if (stopped.aborted) throw error;
		console.log(`NOT TRIED   ${bug.name.padEnd(28)} ${error.message}`);
		return false;
	};

/** Returns whether the lab caught the bug. */
async function tryBug(bug: Bug, seed: number, say: (line: string) => void, stopped: AbortSignal): Promise<boolean> {
	if (stopped.aborted) throw stopped.reason;
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-lab-bug-"));
	try {
		const serviceFolder = await plant(bug, path.join(folder, "planted"));
		const faults = FAULTS.filter(({ name }) => bug.faults.includes(name));
		const sayOfBug = (line: string): void => say(`${bug.name}: ${line}`);
		let runs = 0;
		let verdict: Verdict;
		do {
			const fresh = { seed: seed + runs++, folder: path.join(folder, `run-${runs}`) };
			verdict = await run({ faults, serviceFolder, stopped, say: sayOfBug, minutes: bug.minutes, ...fresh });
		} while (verdict.result !== "failed" && runs < MOST_RUNS);
		const isCaught = verdict.result === "failed";
		const times = runs === 1 ? "" : ` (run ${runs})`;
		console.log(`${isCaught ? "caught    " : "NOT CAUGHT"}  ${bug.name.padEnd(28)} ${howCaught(verdict)}${times}`);
		return isCaught;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function howCaught({ findings, verify }: Verdict): string {
	const kinds = (Object.keys(WRONGS) as Wrong[]).map((kind) => ({
		kind,
		count: findings.filter(({ wrong }) => wrong === kind).length,
	}));
	const found = kinds.filter(({ count }) => count > 0).map(({ kind, count }) => `${kind} ${count}`);
	return [...found, ...(verify === null ? [] : ["verify"])].join(", ");
}
