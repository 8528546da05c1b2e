import { HoldfastError } from "../../client/errors.ts";
import { command } from "../command.ts";
import { EXIT, usage } from "../failure.ts";
import {
	ACCESS,
	accessOf,
	addressOf,
	clientOf,
	ENV_FILE,
	type Given,
	readVariables,
	type Settings,
	settingsOf,
} from "../settings.ts";
import { print, tell } from "../terminal.ts";
import { environmentOf, publicHalf, tokenProblem } from "../token.ts";
import { ask } from "./ask.ts";
import { setVariables, wouldGitTake } from "./env-file.ts";
import { describeMissing, findMissingScopes, type MissingScopes } from "./missing-scopes.ts";
import { type Stop, Tour } from "./tour.ts";
import { visitAll } from "./visit-all.ts";

export const init = command({
	takes: [],
	about: [
		"Sets up a sandbox key: asks for the address of the service and for the key where there is a terminal, writes both into the",
		"file .env of this folder without touching its other lines, and runs every operation that the key may do, each with a sentence",
		"on what it is for and what came back. Nothing is left held, ordered or registered. Exits 1 if an operation fails.",
	].join("\n"),
	example: "init --url http://127.0.0.1:4000",
	options: ACCESS,
	async run({ json, ...given }) {
		const settings = await completed(given);
		const { url, token } = accessOf(settings);
		if (environmentOf(token) === "live") {
			throw usage(
				"This is a live key: init holds, orders and cancels, so it takes a sandbox key. Ask the operator for one.",
			);
		}
		// the service's answer takes precedence over an older setting; a key that is refused fails here
		const found = await findCoaUrl(settings);
		const coaUrl = given["coa-url"] === undefined ? (found ?? settings.coaUrl) : settings.coaUrl;
		const known = { url, token, coaUrl };
		await setVariables(ENV_FILE, {
			HOLDFAST_URL: url,
			...(coaUrl === undefined ? {} : { HOLDFAST_COA_URL: coaUrl }),
			HOLDFAST_TOKEN: token,
		});
		const key = publicHalf(token);
		const isTaken = await wouldGitTake(ENV_FILE);
		const say = (line: string): void => (json ? tell(line) : print(null, false, () => line));
		say(`Wrote ${ENV_FILE} with the key ${key}; only you can read it. ${gitAdvice(isTaken)}\n`);
		const tour = new Tour((stops) => say(lineOf(stops)));
		const holdfast = clientOf(known);
		await visitAll(tour, holdfast, known);
		const count = (word: Stop["outcome"]): number => tour.stops.filter(({ outcome }) => outcome === word).length;
		const failed = count("failed");
		const missing = count("forbidden") === 0 ? null : await findMissingScopes(holdfast, token);
		if (json)
			print(
				{
					envFile: ENV_FILE,
					key,
					url,
					coaUrl: coaUrl ?? null,
					wouldGitTake: isTaken,
					operations: tour.stops,
					missing: missing ?? { scopes: [], operations: [] },
				},
				true,
				() => "",
			);
		else say(conclusion(url, failed, missing));
		return failed === 0 ? EXIT.ok : EXIT.different;
	},
});

/** The settings. What is missing is asked for, if there is a terminal. */
async function completed(given: Given): Promise<Settings> {
	const variables = await readVariables();
	const settings = settingsOf(given, variables);
	const isAsked = process.stdin.isTTY && process.stderr.isTTY;
	if (!isAsked && !(settings.url && settings.token)) {
		throw usage("There is no terminal to ask on: give --url and --token, or set HOLDFAST_URL and HOLDFAST_TOKEN.");
	}
	if (!isAsked || (given.url !== undefined && given.token !== undefined)) return settings;
	const terminal = { input: process.stdin, output: process.stderr };
	const url =
		given.url ??
		(await ask(terminal, { text: "Address of the service", usual: settings.url, isSecret: false, accept: addressOf }));
	const token =
		given.token ??
		(await ask(terminal, {
			text: "Sandbox key, which is not shown as you type or paste it",
			usual: settings.token,
			...(settings.token !== undefined && { usualShown: publicHalf(settings.token) }),
			isSecret: true,
			accept: acceptedToken,
		}));
	return settingsOf({ ...given, url, token }, variables);
}

function acceptedToken(answer: string): string {
	const problem = tokenProblem(answer);
	if (problem !== null) throw usage(problem);
	return answer;
}

/** The address of the certificates, from the first product that has one. @throws HoldfastError if the key is refused */
async function findCoaUrl(settings: Settings): Promise<string | undefined> {
	try {
		for await (const { currentCoa } of clientOf(settings).products.list()) {
			if (currentCoa !== null) return addressOf(currentCoa.verifyUrl);
		}
	} catch (error) {
		// the key may not list products, but it works
		if (!(error instanceof HoldfastError) || error.code !== "forbidden") throw error;
	}
	return undefined;
}

function gitAdvice(isTaken: boolean | null): string {
	const advice = "Keep it out of git, and on your server.";
	if (isTaken === null) return advice;
	return isTaken ? `${advice} Git would take it now: add the line ${ENV_FILE} to .gitignore.` : "Git ignores it.";
}

const WORDS = { done: "done", forbidden: "no", skipped: "-", failed: "FAILED" } as const;

function lineOf(stops: readonly Stop[]): string {
	const [{ operation, request, outcome, says }, ...more] = stops as readonly [Stop, ...Stop[]];
	const names = more.length === 0 ? `${operation} (${request})` : stops.map((stop) => stop.operation).join(", ");
	return `${WORDS[outcome].padEnd(6)}  ${names}\n        ${says}`;
}

const conclusion = (url: string, failed: number, missing: MissingScopes | null): string =>
	[
		"",
		failed === 0 ? "Everything that this key may do works, and nothing is left held." : `${failed} of them failed.`,
		...(missing === null ? [] : [describeMissing(missing)]),
		`Next: ${url}/docs has the guides; a mirror of counts is new InventoryMirror({ … }) of @holdfast/partner/mirror.`,
		'"holdfast-partner mirror check", "holdfast-partner webhooks listen" and "holdfast-partner golive" help until you are live.',
	].join("\n");
