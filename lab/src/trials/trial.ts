import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openGround } from "../ground/open-ground.ts";
import type { Ground, GroundOptions } from "../ground/types.ts";

/** The service under test if the command line names no other folder. */
const SERVICE_FOLDER = path.resolve(import.meta.dirname, "../../../service");

/** A promise under test, and whether it was kept. */
export interface Kept {
	readonly what: string;
	readonly kept: boolean;
}

export interface Outcome {
	/** Lines of the table: label and value. */
	readonly rows: readonly (readonly [string, string | number])[];
	readonly promises: readonly Kept[];
}

/** The environment of a trial. */
export interface Stage {
	/** The trial's parameters by name: its defaults, overridden by the command line. */
	readonly numbers: Readonly<Record<string, number>>;
	readonly say: (line: string) => void;
	/** Opens a ground, which is stopped at the end of the trial. */
	open(
		options?: Partial<Pick<GroundOptions, "standby" | "nodes" | "disk" | "clock" | "settings" | "postgres">>,
	): Promise<Ground>;
}

/** A measurement that the random runs of the lab do not give. */
export interface Trial {
	readonly name: string;
	readonly says: string;
	/** Its parameters with their defaults; `--name N` on the command line. */
	readonly numbers: Readonly<Record<string, number>>;
	run(stage: Stage): Promise<Outcome>;
}

/** Runs a trial and prints its table. Returns the exit code: 0 when every promise was kept. */
export async function runTrial(trial: Trial, args: readonly string[]): Promise<number> {
	const { numbers, service } = readArguments(trial, args);
	const folder = mkdtempSync(path.join(tmpdir(), `holdfast-trial-${trial.name}-`));
	const say = (line: string): void => console.error(line);
	const grounds: Ground[] = [];
	const stopAll = async (): Promise<void> => {
		for (const ground of grounds.splice(0)) await ground.stop();
	};
	console.log(`${trial.name}: ${trial.says}`);
	try {
		const { rows, promises } = await trial.run({
			numbers,
			say,
			open: async (options = {}) => {
				const wanted = { standby: false, serviceFolder: service, folder, say, ...options };
				const ground = await openGround(wanted);
				grounds.push(ground);
				return ground;
			},
		});
		print(rows, promises);
		console.log(`logs: ${folder}`);
		return promises.every(({ kept }) => kept) ? 0 : 1;
	} finally {
		await stopAll();
	}
}

/** For a trial that is started as a program of its own. */
export async function main(trial: Trial): Promise<void> {
	process.exit(await runTrial(trial, process.argv.slice(2)));
}

/** `--service FOLDER` tests another version of the service, or one with a planted bug: a trial must be able to fail. */
function readArguments(trial: Trial, args: readonly string[]): { numbers: Record<string, number>; service: string } {
	const names = [...Object.keys(trial.numbers), "service"];
	const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
	const { service, ...values } = parseArgs({ args: [...args], options, strict: true }).values;
	const given = Object.entries(values).map(([name, text]) => {
		const number = Number(text);
		if (!Number.isFinite(number) || number <= 0) throw new Error(`--${name}: must be a number above 0, not "${text}"`);
		return [name, number] as const;
	});
	return {
		numbers: { ...trial.numbers, ...Object.fromEntries(given) },
		service: service === undefined ? SERVICE_FOLDER : path.resolve(service),
	};
}

function print(rows: Outcome["rows"], promises: readonly Kept[]): void {
	const width = Math.max(0, ...rows.map(([what]) => what.length));
	for (const [what, figure] of rows) console.log(`  ${what.padEnd(width)}  ${figure}`);
	for (const { what, kept } of promises) console.log(`  ${kept ? "kept  " : "BROKEN"}  ${what}`);
}
