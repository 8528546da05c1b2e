import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { BUGS } from "./bugs.ts";
import { WRONGS, type Wrong } from "./check/findings.ts";
import { FAULTS } from "./faults/faults.ts";
import { plant } from "./plant.ts";
import { run } from "./run/run.ts";
import type { Verdict } from "./verdict.ts";

/** Maximum number of runs for a bug: whether a race is lost in two minutes is a matter of chance. */
const MOST_RUNS = 3;

/**
 * Plants one bug after the other and prints whether the lab caught it; a run that did not is repeated with the next
 * seed, and the table says so. Returns the number of bugs that the lab did not catch.
 */
export async function runAllBugs(
	{ seed }: { readonly seed: number },
	say: (line: string) => void,
	stopped: AbortSignal,
): Promise<number> {
	let uncaught = 0;
	for (const bug of BUGS) {
		if (stopped.aborted) throw stopped.reason;
		const folder = await mkdtemp(path.join(tmpdir(), "holdfast-lab-bug-"));
		try {
			const serviceFolder = await plant(bug, path.join(folder, "planted"));
			const faults = FAULTS.filter(({ name }) => bug.faults.includes(name));
			let runs = 0;
			let verdict: Verdict;
			do {
				const fresh = { seed: seed + runs++, folder: path.join(folder, `run-${runs}`) };
				verdict = await run({ faults, serviceFolder, stopped, say, minutes: bug.minutes, ...fresh });
			} while (verdict.result !== "failed" && runs < MOST_RUNS);
			const caught = verdict.result === "failed";
			if (!caught) uncaught++;
			const times = runs === 1 ? "" : ` (run ${runs})`;
			console.log(`${caught ? "caught    " : "NOT CAUGHT"}  ${bug.name.padEnd(28)} ${howCaught(verdict)}${times}`);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	}
	console.log(`${BUGS.length - uncaught} of ${BUGS.length} planted bugs caught`);
	return uncaught;
}

function howCaught({ findings, verify }: Verdict): string {
	const kinds = (Object.keys(WRONGS) as Wrong[]).map((kind) => ({
		kind,
		count: findings.filter(({ wrong }) => wrong === kind).length,
	}));
	const found = kinds.filter(({ count }) => count > 0).map(({ kind, count }) => `${kind} ${count}`);
	return [...found, ...(verify === null ? [] : ["verify"])].join(", ");
}
