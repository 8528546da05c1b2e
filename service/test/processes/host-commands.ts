import { join } from "node:path";
import { format } from "node:util";
import { main } from "../../../cli/src/program.ts";

// A process that carries out commands of `holdfast` one after the other, each with its own arguments and variables and
// as a process of its own would, up to the end: what is loaded once serves all of them. See holdfast.ts.

const LAUNCHER = join(import.meta.dirname, "../../../cli/bin/holdfast.js");

export interface AskedCommand {
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
}

export interface AnsweredCommand {
	readonly code: number;
	readonly out: string;
	readonly err: string;
}

const exitCode = (): number => Number(process.exitCode ?? 0);

async function carryOut({ args, env }: AskedCommand): Promise<AnsweredCommand> {
	let out = "";
	let err = "";
	process.stdout.write = (text: string) => {
		out += text;
		return true;
	};
	process.stderr.write = (text: string) => {
		err += text;
		return true;
	};
	for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
	Object.assign(process.env, env);
	process.argv = [process.execPath, LAUNCHER, ...args];
	process.exitCode = undefined;
	await main();
	const code = exitCode();
	process.exitCode = undefined;
	for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
	return { code, out, err };
}

process.on("warning", (warning) => process.stderr.write(`${format(warning)}\n`));
process.on("disconnect", () => process.exit());
process.on("message", (asked: AskedCommand) => {
	void carryOut(asked).then((answer) => process.send?.(answer));
});
