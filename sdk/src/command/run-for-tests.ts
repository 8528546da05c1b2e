import { execFile } from "node:child_process";
import { join } from "node:path";
import { keepWritten } from "../../../service/test/leaks/written.ts";
import { type Child, start } from "../../../service/test/processes/child.ts";

const LAUNCHER = join(import.meta.dirname, "../../bin/holdfast-partner.js");
const COMPILED = join(import.meta.dirname, "../../../node_modules/.cache/holdfast-tests");

/** The output of a command, and its exit code. */
export interface Ran {
	readonly code: number;
	readonly out: string;
	readonly err: string;
	// oxlint-disable-next-line typescript/no-explicit-any -- every document there is
	readonly json: any;
}

export interface Surroundings {
	/** HOLDFAST_* variables; the process gets no others. */
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
}

function environment({ env = {} }: Surroundings): NodeJS.ProcessEnv {
	const shell = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
	return { ...Object.fromEntries(shell), NODE_COMPILE_CACHE: COMPILED, ...env };
}

/** Runs `holdfast-partner` in a separate process. Its output must not contain a secret. */
export function partner(args: readonly string[], surroundings: Surroundings = {}): Promise<Ran> {
	const { cwd = import.meta.dirname } = surroundings;
	return new Promise((resolve) => {
		const child = execFile(
			process.execPath,
			[LAUNCHER, ...args],
			{ env: environment(surroundings), cwd },
			(error, out, err) => {
				keepWritten(`what holdfast-partner ${args[0]} printed`, () => `${out}\n${err}`);
				const code = error === null ? 0 : Number(error.code);
				resolve({ code, out, err, json: args.includes("--json") && out !== "" ? JSON.parse(out) : null });
			},
		);
		child.stdin?.end();
	});
}

/** Starts a command that runs until it is told to end. */
export function startPartner(args: readonly string[], surroundings: Surroundings = {}): Child {
	const { cwd = import.meta.dirname } = surroundings;
	return start(process.execPath, [LAUNCHER, ...args], { env: environment(surroundings), cwd });
}
