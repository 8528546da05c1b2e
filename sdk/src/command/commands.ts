import type { AnyCommand } from "./command.ts";
import { usage } from "./failure.ts";
import { didYouMean } from "./similar.ts";
import { table } from "./terminal.ts";

interface Entry {
	readonly summary: string;
	/** Only what was typed is loaded. */
	readonly load: () => Promise<AnyCommand>;
}

/** Every command by its name of one or two words. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
	init: {
		summary: "set up a sandbox key, and try every operation that it may do",
		load: async () => (await import("./init/init.ts")).init,
	},
	"mirror check": {
		summary: "compare the counts that you show with the service's",
		load: async () => (await import("./mirror/mirror-check.ts")).mirrorCheck,
	},
	golive: {
		summary: "read your go-live run, and start its drill",
		load: async () => (await import("./golive/golive.ts")).golive,
	},
	"webhooks listen": {
		summary: "receive events on this machine, verify, print and forward them",
		load: async () => (await import("./webhooks/listen.ts")).listen,
	},
	"webhooks send": {
		summary: "send your receiver a made-up event, with a good or a bad signature",
		load: async () => (await import("./webhooks/send.ts")).send,
	},
	"requests tail": {
		summary: "follow the requests of your sandbox key",
		load: async () => (await import("./requests/tail.ts")).tail,
	},
	doctor: {
		summary: "find what is wrong with address, clock, key, scopes, versions or webhooks",
		load: async () => (await import("./doctor/doctor.ts")).doctor,
	},
	help: {
		summary: "explain an error code, of the service or of this SDK",
		load: async () => (await import("./help/help.ts")).help,
	},
};

/** The name of the command in a command line, and what follows it. @throws CommandFailure `usage` */
export function findCommand(argv: readonly string[], names = Object.keys(COMMANDS)): readonly [string, string[]] {
	const [first = "", second = ""] = argv;
	if (names.includes(first)) return [first, argv.slice(1)];
	if (names.includes(`${first} ${second}`)) return [`${first} ${second}`, argv.slice(2)];
	const group = names.filter((name) => name.startsWith(`${first} `));
	const hasSecond = second !== "" && !second.startsWith("-");
	if (group.length > 0 && !hasSecond) throw usage(`"${first}" needs one more word: ${group.join(", ")}.`);
	const typed = hasSecond ? `${first} ${second}` : first;
	const meant = didYouMean(typed, names) || didYouMean(first, names);
	throw usage(`There is no command "${typed}".${meant} "holdfast-partner --help" lists all.`);
}

/** Whether words begin with the name of a command. */
export const isCommand = ([first, second]: readonly string[]): boolean =>
	[`${first}`, `${first} ${second}`].some((name) => Object.hasOwn(COMMANDS, name));

/** The help of the program. */
export const overview = (): string =>
	[
		"Usage: holdfast-partner <command> [options]",
		"Tools for developers of partners, from the first request to going live.",
		`Commands:\n${table(Object.entries(COMMANDS).map(([name, { summary }]) => [`  ${name}`, summary]))}`,
		[
			"Every command takes --json, and --help with an example. Address and key are read from --url, --coa-url and --token,",
			"else from HOLDFAST_URL, HOLDFAST_COA_URL and HOLDFAST_TOKEN, else from the file .env that init writes.",
			"Exit codes: 0 as it should be, 1 differences or checks that are not passed, 2 wrong usage, 3 no access.",
		].join("\n"),
		"Example:\n  $ holdfast-partner init",
	].join("\n\n");
