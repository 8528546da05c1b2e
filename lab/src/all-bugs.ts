import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { BUGS } from "./bugs.ts";
import { WRONGS, type Wrong } from "./check/findings.ts";
import { FAULTS } from "./faults/faults.ts";
import { plant } from "./plant.ts";
import { run } from "./run/run.ts";
import type { Verdict } from "./verdict.ts";

/** Plants each bug in turn and prints whether the lab caught it. Returns how many it did not catch. */
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
			const verdict = await run({
				seed,
				faults,
				serviceFolder,
				folder,
				stopped,
				say,
				minutes: bug.minutes,
			});
			const caught = verdict.result === "failed";
			if (!caught) uncaught++;
			console.log(`${caught ? "caught    " : "NOT CAUGHT"}  ${bug.name.padEnd(28)} ${howCaught(verdict)}`);
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
