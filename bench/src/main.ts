/** `npm run bench`: one run, one table. See bench/README.md. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { type Options, readOptions, USAGE } from "./options.ts";
import { figuresOf, type Results } from "./results.ts";
import { run } from "./run.ts";
import { measurementLines, memoryLines, sendingLines, startLines, verdictLines } from "./table.ts";
import { judge, type Verdict } from "./targets.ts";

/** Fewer rounds give no meaningful median. */
const LEAST_ROUNDS = 3;

function report(options: Options, results: Results, verdicts: readonly Verdict[]): string {
	const { best } = results;
	const sections = [
		[
			`${cpus().length} cores, Node ${process.versions.node}, medians of ${options.rounds}; load generator on the same machine`,
		],
		measurementLines(results),
		verdictLines(verdicts),
		memoryLines(results),
		startLines(results),
		sendingLines(results),
		Object.entries(best.plainPools).map(
			([spread, size]) => `one transaction per request, ${spread}: a pool of ${size} connections`,
		),
		[...results.verdicts].map(([world, verdict]) => `verify, ${world} world: ${verdict}`),
	];
	const notes =
		options.quick || options.rounds < LEAST_ROUNDS
			? ["A short run: it shows that everything runs and proves nothing."]
			: [];
	return [...sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")), ...notes].join("\n\n");
}

const toJson = (options: Options, results: Results, verdicts: readonly Verdict[]): string =>
	JSON.stringify(
		{
			options,
			medians: Object.fromEntries([...results.samples].map(([id, samples]) => [id, figuresOf(samples)])),
			samples: Object.fromEntries(results.samples),
			verdicts,
			memory: Object.fromEntries(results.memory),
			starts: results.starts,
			best: { ...results.best, database: Object.fromEntries(results.best.database) },
			verify: Object.fromEntries(results.verdicts),
		},
		null,
		1,
	);

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	if (options === null) return console.log(USAGE);
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-"));
	await chmod(folder, 0o711); // when started as root, PostgreSQL runs under another account, which needs access
	const began = performance.now();
	const say = (line: string): void =>
		console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
	const stopped = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM"] as const) {
		process.once(signal, () => stopped.abort(new Error(`${signal}: stopped before the end`)));
	}
	try {
		const results = await run(options, folder, say, stopped.signal);
		const verdicts = judge(results);
		console.log(report(options, results, verdicts));
		if (options.json !== undefined) await writeFile(options.json, toJson(options, results, verdicts));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

await main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.stack : error);
	process.exitCode = 1;
});
