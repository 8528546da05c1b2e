import { execFile } from "node:child_process";
import { join } from "node:path";
import { keepWritten } from "../../../service/test/leaks/written.ts";
import { type Child, COMPILED, shellWith, start } from "../../../service/test/processes/child.ts";
import { inSharedProcess, type Ran } from "../../../service/test/processes/holdfast.ts";

const LAUNCHER = join(import.meta.dirname, "../../bin/holdfast-partner.js");
const PROGRAM = join(import.meta.dirname, "main.ts");

export interface Surroundings {
	/** HOLDFAST_* variables; the process gets no others. */
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
}

const environment = ({ env = {} }: Surroundings): NodeJS.ProcessEnv =>
	shellWith({ NODE_COMPILE_CACHE: COMPILED, ...env });

/**
 * Runs `holdfast-partner` outside of this process: in the one that commands share, or, while another command runs
 * there, in a process of its own. Its output must not contain a secret.
 */
export async function partner(args: readonly string[], surroundings: Surroundings = {}): Promise<Ran> {
	const { cwd = import.meta.dirname } = surroundings;
	const asked = { program: PROGRAM, args, env: environment(surroundings), cwd };
	const { code, out, err } = (await inSharedProcess(asked)) ?? (await partnerAlone(args, surroundings));
	keepWritten(`what holdfast-partner ${args[0]} printed`, () => `${out}\n${err}`);
	return { code, out, err, json: args.includes("--json") && out !== "" ? JSON.parse(out) : null };
}

/** Runs it in a process of its own: for what a test says about the process. */
export function partnerAlone(args: readonly string[], surroundings: Surroundings = {}): Promise<Omit<Ran, "json">> {
	const { cwd = import.meta.dirname } = surroundings;
	return new Promise((resolve) => {
		const options = { env: environment(surroundings), cwd };
		const child = execFile(process.execPath, [LAUNCHER, ...args], options, (error, out, err) =>
			resolve({ code: error === null ? 0 : Number(error.code), out, err }),
		);
		child.stdin?.end();
	});
}

/** Starts a command that runs until it is told to end. */
export function startPartner(args: readonly string[], surroundings: Surroundings = {}): Child {
	const { cwd = import.meta.dirname } = surroundings;
	return start(process.execPath, [LAUNCHER, ...args], { env: environment(surroundings), cwd });
}
