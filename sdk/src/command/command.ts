import { parseArgs } from "node:util";
import { type Exit, usage } from "./failure.ts";
import { didYouMean } from "./similar.ts";
import { plural, table } from "./terminal.ts";

export interface Option {
	readonly type: "string" | "boolean";
	/** The placeholder of its value in the help. */
	readonly value?: string;
	readonly text: string;
}
export type Options = Readonly<Record<string, Option>>;

/** What was given for options, by their names. */
export type Values<O extends Options> = {
	readonly [Name in keyof O]?: O[Name]["type"] extends "boolean" ? boolean : string;
} & { readonly json?: boolean };

interface Command<O extends Options = Options> {
	/** The positional arguments in order, as the help names them. */
	readonly takes: readonly string[];
	/** What it does and what its exit codes mean, for the help. */
	readonly about: string;
	/** An example for the help, without the name of the program. */
	readonly example: string;
	readonly options: O;
	run(values: Values<O>, ...given: string[]): Promise<Exit>;
}

/** A command without the types of its options. */
export interface AnyCommand extends Omit<Command, "run"> {
	run(values: Parsed["values"], ...given: readonly string[]): Promise<Exit>;
}

/** A command with the types of its options. */
export const command = <const O extends Options>(given: Command<O>): AnyCommand => given as unknown as AnyCommand;

const COMMON = {
	json: { type: "boolean", text: "print JSON" },
	help: { type: "boolean", text: "print this help" },
} as const satisfies Options;

export interface Parsed {
	readonly values: Readonly<Record<string, string | boolean | undefined>>;
	readonly given: readonly string[];
}

/** The options and arguments of a command. @throws CommandFailure `usage` */
export function parse(name: string, { takes, options }: AnyCommand, args: readonly string[]): Parsed {
	const known = { ...options, ...COMMON };
	const unknown = args
		.slice(0, args.includes("--") ? args.indexOf("--") : args.length)
		.flatMap((arg) => /^--([^=]+)/.exec(arg)?.[1] ?? [])
		.find((option) => !Object.hasOwn(known, option));
	const more = `"holdfast-partner ${name} --help" lists its options.`;
	if (unknown !== undefined) {
		const meant = didYouMean(unknown, Object.keys(known)).replace('"', '"--');
		throw usage(`${name} has no option --${unknown}.${meant} ${more}`);
	}
	try {
		const { values, positionals } = parseArgs({ args: [...args], options: known, allowPositionals: true });
		if (values.help !== true && positionals.length !== takes.length) {
			const expected = takes.length === 0 ? "no argument" : takes.join(" ");
			throw usage(`${name} takes ${expected}, and got ${plural(positionals.length, "argument")}. ${more}`);
		}
		return { values, given: positionals };
	} catch (error) {
		if ((error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS")) {
			throw usage(`${name}: ${(error as Error).message.split(". ")[0]}. ${more}`);
		}
		throw error;
	}
}

/** The help of a command. */
export function helpOf(name: string, { takes, about, example, options }: AnyCommand): string {
	const rows = Object.entries({ ...options, ...COMMON } as Options).map(([option, { value, text }]) => [
		`  --${option}${value === undefined ? "" : ` ${value}`}`,
		text,
	]);
	const line = ["holdfast-partner", name, ...takes, "[options]"].join(" ");
	return [`Usage: ${line}`, about, `Options:\n${table(rows)}`, `Example:\n  $ holdfast-partner ${example}`].join(
		"\n\n",
	);
}

/** A whole number in an option. @throws CommandFailure `usage` */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
	const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
	if (value >= least && value <= most) return value;
	throw usage(`--${option} must be a whole number from ${least} to ${most}.`);
}
