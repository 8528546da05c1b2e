import type { Command } from "commander";
import { typedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { CommandRefused, EXIT, failureDocument, failureOf } from "./failure.ts";
import { inOptionNames } from "./option-names.ts";
import { complain, isJsonAsked, print } from "./output.ts";

/** The option that every command has. */
export interface JsonOption {
	readonly json?: true;
}

/** Adds a command with `--json` and an example in its help. */
export function addCommand(parent: Command, usage: string, description: string, example: string): Command {
	return parent
		.command(usage)
		.description(description)
		.option("--json", "print one JSON document")
		.addHelpText("after", `\nExample:\n  $ ${typedCommand(example)}`);
}

/** Runs the command line and sets the exit code. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
	let acting = program;
	program.hook("preAction", (_program, command) => {
		acting = command;
	});
	try {
		await program.parseAsync(argv);
	} catch (error) {
		const failure = await failureOf(error instanceof CommandRefused ? inOptionsOf(acting, error) : error);
		if (failure === null) return;
		if (failure.say !== null) complain(failure.say);
		if (isJsonAsked(argv)) print(failureDocument(failure), true, () => "");
		process.exitCode = EXIT[failure.kind];
	}
}

/** A refusal of the service, with the fields that it names called by the options of the command. */
function inOptionsOf({ options }: Command, { code, message, problems }: CommandRefused): CommandRefused {
	const names = new Set(options.flatMap(({ long }) => long ?? []));
	const told = problems?.map(({ at, message: one }) => ({ at, message: inOptionNames(one, names) }));
	return new CommandRefused(code, inOptionNames(message, names), told);
}
