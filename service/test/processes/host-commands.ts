import { format } from "node:util";

// A process that carries out commands of `holdfast` and `holdfast-partner` one after the other, each with its own
// arguments, variables and folder, and as a process of its own would, up to the end: what is loaded once serves all of
// them. See holdfast.ts.

/** Takes the arguments, or reads them from the process. */
type Main = (args: readonly string[]) => Promise<void>;

export interface AskedCommand {
	/** The module that exports `main`. */
	readonly program: string;
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	/** The folder of the command. */
	readonly cwd: string;
}

export interface AnsweredCommand {
	readonly code: number;
	readonly out: string;
	readonly err: string;
}

const exitCode = (): number => Number(process.exitCode ?? 0);

async function carryOut({ program, args, env, cwd }: AskedCommand): Promise<AnsweredCommand> {
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
	process.chdir(cwd);
	process.argv = [process.execPath, program, ...args];
	process.exitCode = undefined;
	const { main } = (await import(program)) as { readonly main: Main };
	await main(args);
	const code = exitCode();
	process.exitCode = undefined;
	for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
	process.stdout.removeAllListeners("error");
	return { code, out, err };
}

process.on("warning", (warning) => process.stderr.write(`${format(warning)}\n`));
process.on("disconnect", () => process.exit());
process.on("message", (asked: AskedCommand) => {
	void carryOut(asked).then((answer) => process.send?.(answer));
});
