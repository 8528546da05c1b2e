import { type Command, CommanderError } from "commander";
import { OperatorError } from "../lib/operator-error.ts";
import { typedCommand } from "../lib/typed-command.ts";
import { OutcomeUnknown } from "../pg/evidence.ts";
import { isConnectionLoss } from "../pg/faults.ts";
import { EXIT } from "./context.ts";
import { complain } from "./output.ts";

/** Adds a command with `--json` and an example in its help. */
export function addCommand(parent: Command, usage: string, description: string, example: string): Command {
	return parent
		.command(usage)
		.description(description)
		.option("--json", "print one JSON document")
		.addHelpText("after", `\nExample:\n  $ ${typedCommand(example)}`);
}

/** Runs the command line; the exit code says how it went. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
	try {
		await program.parseAsync(argv);
	} catch (error) {
		process.exitCode = exitCodeOf(error);
	}
}

function exitCodeOf(error: unknown): number {
	if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage; // it has been said already
	if (error instanceof OperatorError) complain(error.message);
	else if (isConnectionLoss(error)) complain(`The database went away: ${(error as Error).message}. Try again.`);
	else if (error instanceof OutcomeUnknown)
		complain(
			"The database went away while it was finishing, and nobody can tell whether it was done: look it up before you repeat it.",
		);
	else complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
	return EXIT.refused;
}
