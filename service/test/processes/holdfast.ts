import { execFile } from "node:child_process";
import { join } from "node:path";
import { keepSecretsOf, keepSecretsOfSettings } from "../leaks/secrets.ts";
import { keepWritten } from "../leaks/written.ts";

const LAUNCHER = join(import.meta.dirname, "../../../cli/bin/holdfast.js");

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

/** Runs `holdfast`, of this or of another build, in a process of its own, as an operator does. */
export function holdfast(args: readonly string[], env: Record<string, string>, launcher = LAUNCHER): Promise<Ran> {
	const shell = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
	return new Promise((resolve) => {
		execFile(
			process.execPath,
			[launcher, ...args],
			{ env: { ...Object.fromEntries(shell), ...env }, maxBuffer: MAX_OUTPUT },
			(error, out, err) => {
				keepSecretsOfSettings(env);
				keepSecretsOf(out); // secrets are shown to the caller only; a log must contain none
				const command = args.slice(0, 2).join(" ");
				keepWritten(`what holdfast ${command} said on standard error`, () => err);
				if (!SHOWS_SECRETS.test(command)) keepWritten(`what holdfast ${command} printed`, () => out);
				const code = error === null ? 0 : Number(error.code);
				resolve({ code, out, err, json: args.includes("--json") && code !== 2 && out ? JSON.parse(out) : null });
			},
		);
	});
}
