/** The files of deploy/cluster/, which the trial uses as they are but for names, passwords and addresses of a host. */
import { readFileSync } from "node:fs";
import path from "node:path";

export const DEPLOY = path.resolve(import.meta.dirname, "../../../deploy/cluster");
/** Name and addresses in the files: those of the first host of a kind. */
const EXAMPLE_HOST = "db1";
const EXAMPLE_ADDRESSES = ["10.77.0.11", "10.77.0.21"];
const ASSIGNMENT = /^([A-Z_0-9]+)=(.*)$/;

/** The variables of a file of `NAME=value` lines, as systemd reads it. */
export function variablesOf(file: string): Record<string, string> {
	const lines = readFileSync(path.join(DEPLOY, file), "utf8").split("\n");
	return Object.fromEntries(
		lines.flatMap((line) => {
			const [, name, value] = ASSIGNMENT.exec(line) ?? [];
			return name === undefined || value === undefined ? [] : [[name, value] as const];
		}),
	);
}

/** The same on this host: its name and its address stand for those of the example. A list of all hosts stays. */
export function variablesFor(file: string, host: string, address: string): Record<string, string> {
	return Object.fromEntries(
		Object.entries(variablesOf(file)).map(([name, value]) => {
			if (value === EXAMPLE_HOST) return [name, host];
			const isList = EXAMPLE_ADDRESSES.some((one) => value.split(one).length > 1) && value.includes("10.77.0.12");
			if (isList) return [name, value];
			return [name, EXAMPLE_ADDRESSES.reduce((text, example) => text.replaceAll(example, address), value)];
		}),
	);
}
