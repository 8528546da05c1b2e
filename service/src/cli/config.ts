import type { Command } from "commander";
import { maskedConfig, VARIABLES } from "../config.ts";
import { addCommand, type JsonOption } from "./command.ts";
import { readConfig } from "./context.ts";
import { print, table } from "./output.ts";

export function addConfig(program: Command): void {
	addCommand(program, "config", "the configuration in force, secrets masked", "config").action(
		(options: JsonOption) => {
			const masked = maskedConfig(readConfig());
			print(masked, options.json, () => {
				const names = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[];
				return table(
					["VARIABLE", "VALUE", "MEANING"],
					names.map((name) => [name, masked[name] === null ? "(unset)" : String(masked[name]), VARIABLES[name]]),
				);
			});
		},
	);
}
