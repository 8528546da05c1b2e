import { lettersOff } from "./nearest.ts";
import { quotedCommand } from "./typed-command.ts";

/** An unknown variable is reported as a misspelling if at most this many letters differ. */
const MAX_LETTERS_OFF = 5;

/** What is wrong with a variable that is not among those that are known. */
export function unknownVariable(name: string, variables: readonly string[]): string {
	const nearest = variables
		.map((known) => ({ known, off: lettersOff(name, known) }))
		.reduce((best, next) => (next.off < best.off ? next : best));
	const hint =
		nearest.off <= MAX_LETTERS_OFF
			? `did you mean ${nearest.known}?`
			: `${quotedCommand("config")} lists the variables that it reads`;
	return `${name}: Holdfast reads no such variable; ${hint}`;
}
