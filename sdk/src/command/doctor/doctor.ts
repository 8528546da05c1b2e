import { HoldfastError } from "../../client/errors.ts";
import { command } from "../command.ts";
import { EXIT, type Exit, failureOf } from "../failure.ts";
import { ACCESS, readVariables, settingsOf } from "../settings.ts";
import { plural, print, printLine } from "../terminal.ts";
import { examine } from "./examine.ts";
import { type Finding, fail } from "./finding.ts";

export const doctor = command({
	takes: [],
	about: [
		"Looks at the address, this machine's clock, the key, what it may do, the API dates, the certificates and your webhooks, and",
		"says what to do about what is wrong. It changes nothing; your endpoints are sent one event each with a bad signature, which",
		"they must refuse. Exits 3 if the address or the key does not work, 1 if something else fails.",
	].join("\n"),
	example: "doctor --json",
	options: ACCESS,
	async run({ json, ...given }) {
		const findings: Finding[] = [];
		// each as soon as it is found: the key's budget may make the next one wait for a minute
		const note = (finding: Finding): void => {
			findings.push(finding);
			if (!json) printLine(finding, false, () => lineOf(finding));
		};
		try {
			for await (const finding of examine(settingsOf(given, await readVariables()))) note(finding);
		} catch (error) {
			// earlier findings are reported all the same
			if (!(error instanceof HoldfastError)) throw error;
			note(fail("service", failureOf(error).message, "Run this again; if the error persists, tell the operator."));
		}
		print({ findings }, json, () => `\n${conclusion(findings)}`);
		return exitOf(findings);
	},
});

function lineOf({ check, verdict, says, cure }: Finding): string {
	const todo = cure === null ? "" : `\n${" ".repeat(19)}${cure}`;
	return `${verdict.padEnd(4)}  ${check.padEnd(12)} ${says}${todo}`;
}

function conclusion(findings: readonly Finding[]): string {
	const [failed, warned] = (["fail", "warn"] as const).map(
		(word) => findings.filter(({ verdict }) => verdict === word).length,
	);
	if (failed === 0 && warned === 0) return "All is well.";
	return `${plural(failed ?? 0, "failure")}, ${plural(warned ?? 0, "warning")}.`;
}

/** Exported for its test. */
export function exitOf(findings: readonly Pick<Finding, "check" | "verdict">[]): Exit {
	const failed = findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
	if (failed.includes("address") || failed.includes("key")) return EXIT.noAccess;
	return failed.length > 0 ? EXIT.different : EXIT.ok;
}
