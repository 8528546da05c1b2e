import { Argument, type Command } from "commander";
import { bashCompletion, commandsOf, zshCompletion } from "../terminal/completion.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion } as const;

/** `load`: loads every command. */
export function addCompletion(program: Command, load: () => Promise<Command>): void {
	program
		.command("completion")
		.description("print a script that completes commands and options in your shell")
		.addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS)))
		.addHelpText(
			"after",
			"\nExample:\n  $ source <(holdfast completion bash)\n  $ holdfast completion zsh > ~/.zfunc/_holdfast    # a folder of $fpath",
		)
		.action(async (shell: keyof typeof SCRIPTS) => {
			process.stdout.write(SCRIPTS[shell](commandsOf(await load())));
		});
}
