import type { Command } from "commander";
import type { Choices } from "./options.ts";

/** A command, or a group of commands, as a shell completes it. */
interface Completed {
	/** The words that lead to it, without the program's name: `keys mint`. */
	readonly path: string;
	/** Its commands and options, each with a description. */
	readonly words: readonly { readonly word: string; readonly description: string }[];
	/** The options that take one of some values. */
	readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

/** Every command of a program, the groups included. Pure. */
export function commandsOf(command: Command, path = ""): Completed[] {
	const below = command.commands.toSorted((a, b) => (a.name() < b.name() ? -1 : 1));
	const options = command.options.filter(({ hidden, long }) => !hidden && long !== null && long !== undefined);
	const own: Completed = {
		path,
		words: [
			...below.map((one) => ({ word: one.name(), description: one.description() })),
			...options.map(({ long, description }) => ({ word: long ?? "", description })),
		],
		values: options.flatMap(({ long, parseArg }) =>
			hasChoices(parseArg) ? [{ option: long ?? "", choices: parseArg.choices }] : [],
		),
	};
	return [own, ...below.flatMap((one) => commandsOf(one, path === "" ? one.name() : `${path} ${one.name()}`))];
}

const hasChoices = (parser: unknown): parser is Choices => typeof parser === "function" && "choices" in parser;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const joined = (path: string, option: string): string => quoted(`${path} ${option}`);

/** Both shells: the words typed so far that lead to a command become `reached`. */
const walk = (commands: readonly Completed[], typed: string): string => `	local reached="" word
	for word in ${typed}; do
		case "\${reached:+$reached }$word" in
		${commands.flatMap(({ path }) => (path === "" ? [] : [quoted(path)])).join("|")}) reached="\${reached:+$reached }$word" ;;
		esac
	done`;

/** A script for bash; words that have no list of choices are completed as file names. */
export const bashCompletion = (commands: readonly Completed[]): string => `# completion of holdfast for bash
_holdfast() {
${walk(commands, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
	local current=\${COMP_WORDS[COMP_CWORD]} words=""
	case "$reached \${COMP_WORDS[COMP_CWORD-1]}" in
${commands.flatMap(({ path, values }) => values.map(({ option, choices }) => `	${joined(path, option)}) words=${quoted(choices.join(" "))} ;;`)).join("\n")}
	*) case "$reached" in
${commands.map(({ path, words }) => `		${quoted(path)}) words=${quoted(words.map(({ word }) => word).join(" "))} ;;`).join("\n")}
		esac ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _holdfast holdfast
`;

const described = (words: Completed["words"]): string =>
	words.map(({ word, description }) => quoted(`${word.replaceAll(":", "\\:")}:${description}`)).join(" ");

/** A script for zsh, which shows descriptions; words that have no list of choices are completed as file names. */
export const zshCompletion = (commands: readonly Completed[]): string => `#compdef holdfast
# completion of holdfast for zsh
_holdfast() {
${walk(commands, '"${(@)words[2,CURRENT-1]}"')}
	local -a found
	case "$reached \${words[CURRENT-1]}" in
${commands.flatMap(({ path, values }) => values.map(({ option, choices }) => `	${joined(path, option)}) found=(${choices.map(quoted).join(" ")}) ;;`)).join("\n")}
	*) case "$reached" in
${commands.map(({ path, words }) => `		${quoted(path)}) found=(${described(words)}) ;;`).join("\n")}
		esac ;;
	esac
	_describe 'holdfast' found || _files
}
if [[ "$funcstack[1]" == _holdfast ]]; then _holdfast; else compdef _holdfast holdfast; fi
`;
