import { Command } from "commander";
import { readVersion } from "../../service/src/ground/lib/version.ts";
import { addAll, COMMANDS } from "./all-commands.ts";
import { runProgram } from "./terminal/command.ts";

/** Carries out the command line of this process. */
export async function main(): Promise<void> {
	const program = new Command("holdfast")
		.description(
			"Holdfast: live availability, holds and consumes over lots. Commands work whether or not a service runs.",
		)
		.version(readVersion(), "--version", "print the version of this build")
		.configureHelp({ showGlobalOptions: true })
		.exitOverride()
		.enablePositionalOptions() // an option belongs to the command it follows, at every level
		.addHelpText(
			"after",
			"\nEvery command but start and completion takes --json; a failure is then printed as JSON too. Exit codes: 0 done, 1 refused or a problem found, 2 wrong usage, 130 interrupted.\nMore: docs/operator/",
		);
	await addAll(program, commandsFor(process.argv[2] ?? ""));
	await runProgram(program, process.argv);
}

/** Only what was typed is loaded; the help lists all. */
function commandsFor(word: string): (typeof COMMANDS)[string][] {
	const typed = COMMANDS[word];
	if (typed !== undefined) return [typed];
	return word === "--version" ? [] : Object.values(COMMANDS);
}
