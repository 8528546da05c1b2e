import { Command } from "commander";
import { readVersion } from "../../service/src/ground/lib/version.ts";
import { addAll, COMMANDS } from "./all-commands.ts";
import { runProgram } from "./terminal/command.ts";

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
// only what was typed is loaded
const typed = COMMANDS[process.argv[2] ?? ""];
await addAll(program, typed === undefined ? Object.values(COMMANDS) : [typed]);
await runProgram(program, process.argv);
