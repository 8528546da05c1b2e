import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { keepSecretsOf, keepSecretsOfSettings } from "../leaks/secrets.ts";
import { keepWritten } from "../leaks/written.ts";
import { LAUNCHER, shellWith } from "./child.ts";
import type { AnsweredCommand, AskedCommand } from "./host-commands.ts";

const PROGRAM = join(import.meta.dirname, "../../../cli/src/program.ts");
const HOST = join(import.meta.dirname, "host-commands.ts");
/** Where the launcher keeps what was compiled. */
const COMPILED = join(import.meta.dirname, "../../../node_modules/.cache/holdfast");

/** Commands that show a secret once to the caller. */
const SHOWS_SECRETS = /^(keys|import|webhooks (add|rotate-secret)|secrets generate|sandbox)\b/;

/** Bytes that a command may print: a recall of thousands of holds lists all of them. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The output of a command, and its exit code. */
export interface Ran {
	readonly code: number;
	readonly out: string;
	readonly err: string;
	// oxlint-disable-next-line typescript/no-explicit-any -- every document there is
	readonly json: any;
}

/**
 * Runs `holdfast` outside of this process, with the variables of an operator's shell. Commands share a process, which
 * has loaded the program already: most of what one costs otherwise. A service, and a command that begins while another
 * runs, have processes of their own. See `holdfastAlone` for what only such a process shows.
 */
export async function holdfast(args: readonly string[], env: Record<string, string>): Promise<Ran> {
	const asked = { program: PROGRAM, args, env: shellWith(env), cwd: process.cwd() };
	const answered = args[0] === "start" ? null : await inSharedProcess(asked);
	return answered === null ? await holdfastAlone(args, env) : ranOf(args, env, answered);
}

/** Runs a command in the process that commands share. Returns null if it is carrying out another. */
export async function inSharedProcess(asked: AskedCommand): Promise<AnsweredCommand | null> {
	if (isBusy) return null;
	isBusy = true;
	try {
		return await askHost(asked);
	} finally {
		isBusy = false;
	}
}

/**
 * Runs `holdfast`, of this or of another build, in a process of its own: for what a test says about the process, such
 * as that it starts, that it lives as long as its work, or that it ends.
 */
export function holdfastAlone(args: readonly string[], env: Record<string, string>, launcher = LAUNCHER): Promise<Ran> {
	return new Promise((resolve) => {
		execFile(process.execPath, [launcher, ...args], { env: shellWith(env), maxBuffer: MAX_OUTPUT }, (error, out, err) =>
			resolve(ranOf(args, env, { code: error === null ? 0 : Number(error.code), out, err })),
		);
	});
}

function ranOf(args: readonly string[], env: Record<string, string>, { code, out, err }: AnsweredCommand): Ran {
	keepSecretsOfSettings(env);
	keepSecretsOf(out); // secrets are shown to the caller only; a log must contain none
	const command = args.slice(0, 2).join(" ");
	keepWritten(`what holdfast ${command} said on standard error`, () => err);
	if (!SHOWS_SECRETS.test(command)) keepWritten(`what holdfast ${command} printed`, () => out);
	return { code, out, err, json: args.includes("--json") && code !== 2 && out ? JSON.parse(out) : null };
}

/** The process that commands of this test process share; it ends with this one. */
let host: ChildProcess | undefined;
/** Whether it carries out a command. */
let isBusy = false;

async function askHost(asked: AskedCommand): Promise<AnsweredCommand> {
	host ??= fork(HOST, {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
		execArgv: ["--no-warnings"],
		env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
	});
	if (!host.connected) throw new Error("the process of commands ended after its last command");
	host.ref();
	host.channel?.ref();
	const over = new AbortController();
	try {
		const answered = once(host, "message", { signal: over.signal });
		const ended = once(host, "exit", { signal: over.signal }).then(() => {
			throw new Error(`the process of commands ended in: ${asked.program} ${asked.args.join(" ")}`);
		});
		host.send(asked);
		const [answer] = await Promise.race([answered, ended]);
		return answer as AnsweredCommand;
	} finally {
		over.abort();
		host.unref();
		host.channel?.unref();
	}
}
