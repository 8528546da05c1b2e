/** The heading of what no release has yet. */
const UNRELEASED = "## Unreleased";
/** The heading of a release: `## 0.2.0, 2026-11-26, API date 2026-09-06`. */
const RELEASE = /^## (\d+\.\d+\.\d+), \d{4}-\d{2}-\d{2}, API date \d{4}-\d{2}-\d{2}$/gm;

export interface ReleaseFacts {
	readonly version: string;
	/** The day of the release, `YYYY-MM-DD`. */
	readonly day: string;
	/** The current API date. */
	readonly apiDate: string;
}

/** The versions that the changelog has a section for, newest first. */
export const versionsIn = (changelog: string): string[] =>
	[...changelog.matchAll(RELEASE)].map(([, version = ""]) => version);

/** Why the changelog has nothing for a release, as a sentence; null if it has. */
export function changelogProblem(changelog: string): string | null {
	const [, rest] = changelog.split(`\n${UNRELEASED}\n`);
	if (rest === undefined) return `CHANGELOG.md has no section "${UNRELEASED}".`;
	const [section = ""] = rest.split(/^## \d/m);
	return /^- /m.test(section)
		? null
		: `CHANGELOG.md lists nothing under "${UNRELEASED}": say what this release changes.`;
}

/** Closes the section of what is unreleased under the version, and begins an empty one above it. */
export const closeUnreleased = (changelog: string, { version, day, apiDate }: ReleaseFacts): string =>
	changelog.replace(
		`\n${UNRELEASED}\n`,
		`\n${UNRELEASED}\n\nNothing yet.\n\n## ${version}, ${day}, API date ${apiDate}\n`,
	);
