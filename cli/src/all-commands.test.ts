import { Command } from "commander";
import { expect, it } from "vitest";
import { addAll } from "./all-commands.ts";

/** A command and all below it, each with what is typed. */
const withAll = (command: Command, typed: readonly string[]): (readonly [string, Command])[] => [
	[typed.join(" "), command],
	...command.commands.flatMap((one) => withAll(one, [...typed, one.name()])),
];

function helpOf(command: Command): string {
	let help = "";
	command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
	return help;
}

it("every command has help with an example", async () => {
	const program = await addAll(new Command("holdfast"));
	const commands = program.commands.flatMap((one) => withAll(one, [one.name()]));
	const does = commands.filter(([typed, { commands: below }]) => below.length === 0 || typed === "demand exceptions");
	expect(does.length).toBeGreaterThan(70);
	const lacking = does.filter(([, command]) => !/Example:\n {2}\$ (npm|source) /.test(helpOf(command)));
	expect(lacking.map(([typed]) => typed)).toEqual([]);
});
