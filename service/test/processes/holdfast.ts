import { execFile } from "node:child_process";
import { join } from "node:path";

const LAUNCHER = join(import.meta.dirname, "../../bin/holdfast.js");

/** What a command printed, and how it ended. */
export interface Ran {
	readonly code: number;
	readonly out: string;
	readonly err: string;
	// oxlint-disable-next-line typescript/no-explicit-any -- every document there is
	readonly json: any;
}

/** Runs `holdfast` in a process of its own, as an operator does. */
export function holdfast(args: readonly string[], env: Record<string, string>): Promise<Ran> {
	const shell = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
	return new Promise((resolve) => {
		execFile(
			process.execPath,
			[LAUNCHER, ...args],
			{ env: { ...Object.fromEntries(shell), ...env } },
			(error, out, err) => {
				const code = error === null ? 0 : Number(error.code);
				resolve({ code, out, err, json: args.includes("--json") && code !== 2 && out ? JSON.parse(out) : null });
			},
		);
	});
}
