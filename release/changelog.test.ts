import { describe, expect, it } from "vitest";
import { changelogProblem, closeUnreleased, versionsIn } from "./changelog.ts";

const FIRST = `# Changelog

Changes.

## Unreleased

The first version.

## For partners

- A list.

## For operators

- A command.
`;
const FACTS = { version: "0.1.0", day: "2026-11-26", apiDate: "2026-09-06" };
const CLOSED = closeUnreleased(FIRST, FACTS);

describe("Closing the changelog's section", () => {
	it("puts it under version, day and API date, below an empty one", () => {
		expect(CLOSED).toBe(
			FIRST.replace("## Unreleased\n", "## Unreleased\n\nNothing yet.\n\n## 0.1.0, 2026-11-26, API date 2026-09-06\n"),
		);
	});

	it.each([
		{ of: "nothing released", text: FIRST, versions: [] },
		{ of: "one release", text: CLOSED, versions: ["0.1.0"] },
		{ of: "two", text: closeUnreleased(CLOSED, { ...FACTS, version: "0.2.0" }), versions: ["0.2.0", "0.1.0"] },
	])("leaves the versions of $of in their order", ({ text, versions }) => {
		expect(versionsIn(text)).toEqual(versions);
	});

	it.each([
		{ of: "changes", text: FIRST, problem: null },
		{ of: "changes since a release", text: CLOSED.replace("Nothing yet.", "- A fix."), problem: null },
		{
			of: "none since a release",
			text: CLOSED,
			problem: 'CHANGELOG.md lists nothing under "## Unreleased": say what this release changes.',
		},
		{ of: "no section", text: "# Changelog\n", problem: 'CHANGELOG.md has no section "## Unreleased".' },
	])("is possible with $of: $problem", ({ text, problem }) => {
		expect(changelogProblem(text)).toBe(problem);
	});
});
