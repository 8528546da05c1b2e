import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { changelogProblem, closeUnreleased, versionsIn } from "./changelog.ts";
import { hasVersion, setVersion } from "./places.ts";
import { versionProblem } from "./version.ts";

const USAGE = `npm run release -- VERSION [--dry-run]

Makes the release VERSION of the commit that is checked out: sets the version where it stands, closes the changelog's
section, commits, tags the commit vVERSION, and in a second commit names it as the release before the next one.
Nothing is pushed.

  --dry-run  says what would be done, and changes nothing
  --help     this text`;

const CHANGELOG = "CHANGELOG.md";
const GLOSSARY = "service/src/glossary.ts";
const BEFORE = "release/before.json";

/** Something that the maintainer has to correct first; shown without a stack trace. */
class Refused extends Error {}

function main(args: readonly string[]): void {
	const { values, positionals } = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: { "dry-run": { type: "boolean", default: false }, help: { type: "boolean", default: false } },
	});
	const [version] = positionals;
	if (values.help || version === undefined || positionals.length > 1) {
		console.log(USAGE);
		process.exitCode = values.help ? 0 : 2;
		return;
	}
	release(version, values["dry-run"]);
}

/** The repository that the shell is in: a clone may be released by the files of another. */
const root = (): string => git(process.cwd(), "rev-parse", "--show-toplevel").trim();

function release(version: string, isDry: boolean): void {
	const home = root();
	const read = (file: string): string => readFileSync(path.join(home, file), "utf8");
	const write = (file: string, text: string): void => writeFileSync(path.join(home, file), text);
	const { version: current } = JSON.parse(read("package.json")) as { version: string };
	const changelog = read(CHANGELOG);
	refuseIf(uncleanProblem(git(home, "status", "--porcelain")));
	refuseIf(versionProblem(version, { current, versions: [...versionsIn(changelog), ...taggedIn(home)] }));
	refuseIf(changelogProblem(changelog));

	const apiDate = /CURRENT_API_DATE = "([^"]+)"/.exec(read(GLOSSARY))?.[1];
	if (apiDate === undefined) throw new Refused(`${GLOSSARY} names no CURRENT_API_DATE.`);
	const day = new Date().toISOString().slice(0, 10);
	const changed = new Map([[CHANGELOG, closeUnreleased(changelog, { version, day, apiDate })]]);
	for (const file of git(home, "ls-files").split("\n").filter(hasVersion)) {
		const text = setVersion(file, read(file), current, version);
		if (text !== read(file)) changed.set(file, text);
	}
	console.log(`Release ${version} of ${day}, with API date ${apiDate}.`);
	console.log(`${isDry ? "Would change" : "Changed"}: ${[...changed.keys()].join(", ")}`);
	if (isDry) return console.log("Nothing was changed.");

	for (const [file, text] of changed) write(file, text);
	git(home, "commit", "-q", "-a", "-m", `Release ${version}`, "-m", `Its API date is ${apiDate}.`);
	git(home, "tag", "-a", `v${version}`, "-m", `Release ${version}, API date ${apiDate}`);
	const commit = git(home, "rev-parse", "HEAD").trim();
	write(BEFORE, `${JSON.stringify({ version, commit }, null, "\t")}\n`);
	git(home, "commit", "-q", "-a", "-m", `Name ${version} as the release before`, "-m", "Upgrades are tested from it.");
	console.log(`Committed and tagged as v${version}. ${BEFORE} names it: upgrades are tested from it now.`);
	console.log("Next: npm run guarantees at the tag, then git push --follow-tags.");
}

const uncleanProblem = (status: string): string | null =>
	status === "" ? null : `The tree is not clean: commit these files first, or put them away.\n${status.trimEnd()}`;

const taggedIn = (home: string): string[] =>
	git(home, "tag", "--list", "v*")
		.split("\n")
		.filter((tag) => tag !== "")
		.map((tag) => tag.slice(1))
		.filter((version) => /^\d+\.\d+\.\d+$/.test(version));

function refuseIf(problem: string | null): void {
	if (problem !== null) throw new Refused(problem);
}

const git = (cwd: string, ...args: string[]): string =>
	execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

try {
	main(process.argv.slice(2));
} catch (error) {
	console.error(error instanceof Refused ? `${error.message}\nNothing was changed.` : error);
	process.exitCode = 1;
}
