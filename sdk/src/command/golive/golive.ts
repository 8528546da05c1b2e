import { writeFile } from "node:fs/promises";
import { toWire } from "../../client/camel.ts";
import { HoldfastError } from "../../client/errors.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import type { Drill, GoLive } from "../../client/types.ts";
import { command, type Values, wholeNumber } from "../command.ts";
import { CommandFailure, EXIT, type Exit, usage } from "../failure.ts";
import { poll } from "../poll.ts";
import { ACCESS, accessOf, clientOf, readVariables, settingsOf } from "../settings.ts";
import { harmless, instant, print, printLine, tell } from "../terminal.ts";
import { publicHalf } from "../token.ts";
import { describeRun, STARTED, underWay, wordOf } from "./describe-run.ts";
import { reportOf } from "./report.ts";

/** Seconds between two reads of a run that is watched. */
const EVERY_SECONDS = 30;
const MOST_SECONDS = 3_600;

const OPTIONS = {
	drill: { type: "boolean", text: "start the drill: ten minutes in which the key is refused with 401" },
	messages: { type: "boolean", text: "have the run's messages sent to your endpoint" },
	unkind: { type: "boolean", text: "start an unkind hour" },
	report: {
		type: "string",
		value: "FILE",
		text: "write the run to this file: JSON if it ends in .json, else Markdown",
	},
	watch: { type: "boolean", text: "read the run again and again, and print what changes, until it is passed" },
	every: { type: "string", value: "SECONDS", text: `seconds between two reads with --watch (${EVERY_SECONDS})` },
	...ACCESS,
} as const;

export const golive = command({
	takes: [],
	about: [
		"Reads the go-live run of your sandbox key: the verdict of each check as the operator sees it, and what to do about each",
		"that is not passed. Exits 0 when the run is passed, 1 when a check is missing or there is no run.",
	].join("\n"),
	example: "golive --report go-live.md",
	options: OPTIONS,
	async run(values) {
		const { json, report, watch } = values;
		const every = wholeNumber("every", values.every ?? String(EVERY_SECONDS), 1, MOST_SECONDS);
		const settings = settingsOf(values, await readVariables());
		const holdfast = clientOf(settings);
		const key = publicHalf(accessOf(settings).token);
		const what = stepOf(values);
		if (what !== null) {
			const run = await orNoRun(holdfast.sandbox.drill(what));
			print(run, json, () => [STARTED[what], ...underWay(run)].join("\n"));
			if (!watch) return EXIT.ok;
		}
		if (watch) return await follow(holdfast, key, every * 1_000, values);
		const run = await orNoRun(holdfast.sandbox.golive());
		if (report !== undefined) await writeReport(report, run, key);
		print(run, json, () => describeRun(run, key));
		if (report !== undefined) tell(`The report was written to ${report}.`);
		return exitOf(run);
	},
});

const exitOf = ({ passed, state }: GoLive): Exit => (passed || state === "finished" ? EXIT.ok : EXIT.different);

/** What the options start; null: nothing. */
function stepOf(values: Values<typeof OPTIONS>): Drill | null {
	const asked = (["drill", "messages", "unkind"] as const).filter((step) => values[step] === true);
	if (asked.length > 1) throw usage("Start one thing at a time: --drill, --messages or --unkind.");
	if (values.report !== undefined && (asked.length === 1 || values.watch === true)) {
		throw usage("--report writes the run as it is now: give it without --watch, and without what starts something.");
	}
	return asked[0] ?? null;
}

async function orNoRun<T>(asked: Promise<T>): Promise<T> {
	return await asked.catch((error: unknown) => {
		if (!(error instanceof HoldfastError) || error.code !== "not_found") throw error;
		const todo =
			"When your site runs against the sandbox, give the operator the name of your key and your status address.";
		throw new CommandFailure(EXIT.different, error.code, `${error.message} ${todo}`);
	});
}

async function writeReport(file: string, run: GoLive, key: string): Promise<void> {
	const text = /\.json$/i.test(file) ? `${JSON.stringify(toWire(run), null, "\t")}\n` : reportOf(run, key, new Date());
	await writeFile(file, harmless(text)).catch((error: NodeJS.ErrnoException) => {
		throw usage(`The file ${file} cannot be written (${error.code}).`);
	});
}

/** Prints the run, and then what changes, until it is passed or no longer running. */
async function follow(
	holdfast: Holdfast,
	key: string,
	everyMs: number,
	{ drill, json }: Pick<Values<typeof OPTIONS>, "drill" | "json">,
): Promise<Exit> {
	let before: GoLive | null = null;
	await poll(everyMs, drill === true, async (signal) => {
		const run = await orNoRun(holdfast.sandbox.golive({ priority: "low", signal }));
		const news = before === null ? describeRun(run, key) : changes(before, run);
		if (news !== "") printLine(run, json, () => news);
		before = run;
		return run.passed || run.state !== "running" ? "done" : "again";
	});
	return before === null ? EXIT.different : exitOf(before);
}

/** What differs between two reads of a run, a line for each. */
function changes(before: GoLive, now: GoLive): string {
	const verdicts = now.checks.flatMap((check) => {
		const was = before.checks.find((one) => one.check === check.check);
		if (was !== undefined && wordOf(was) === wordOf(check)) return [];
		return [`${check.check}: ${was === undefined ? "new" : wordOf(was)} -> ${wordOf(check)}. ${check.says}`];
	});
	const started = underWay(now).filter((line) => !underWay(before).includes(line));
	const lines = [
		...verdicts,
		...(verdicts.length === 0 ? [] : [now.line]),
		...(before.state === now.state ? [] : [now.state]),
	];
	return [...started, ...lines].map((line) => `${instant(new Date())} ${line}`).join("\n");
}
