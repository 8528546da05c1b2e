import { VERSION } from "../client/version.ts";
import { helpOf, parse } from "./command.ts";
import { COMMANDS, findCommand, isCommand, overview } from "./commands.ts";
import { EXIT, type Exit, failureOf } from "./failure.ts";
import { print, printLine, tell } from "./terminal.ts";

/** Runs a command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
	// the reader of a pipe may have closed it
	process.stdout.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "EPIPE") process.exit(EXIT.ok);
		throw error;
	});
	try {
		process.exitCode = await run(argv);
	} catch (error) {
		const { exit, code, message } = failureOf(error);
		if (argv.includes("--json")) print({ error: { code, message } }, true, () => "");
		tell(message);
		process.exitCode = exit;
	}
}

async function run(argv: readonly string[]): Promise<Exit> {
	const [first = "--help", ...more] = argv;
	const isOverview = ["--help", "-h"].includes(first) || (first === "help" && more.every((one) => one === "--json"));
	if (first === "--version") printLine({ version: VERSION }, argv.includes("--json"), () => VERSION);
	else if (isOverview) print({ usage: overview() }, argv.includes("--json"), overview);
	else if (first === "help" && isCommand(more)) return await run([...more, "--help"]);
	else {
		const [name, args] = findCommand(argv);
		const command = await (COMMANDS[name] as (typeof COMMANDS)[string]).load();
		const { values, given } = parse(name, command, args);
		const help = (): string => helpOf(name, command);
		if (values.help !== true) return await command.run(values, ...given);
		print({ usage: help() }, values.json === true, help);
	}
	return argv.length === 0 ? EXIT.usage : EXIT.ok;
}
