import { spawnSync } from "node:child_process";
import { type Page, readPages } from "./tidy/documents.ts";
import { readText } from "./tidy/source.ts";

/** A fenced sample of a document. */
export interface Sample {
	/** `docs/partner/holds.md:12`. */
	readonly at: string;
	/** Its language; empty: it is a picture, a table or a header, and is not executed. */
	readonly language: string;
	/** Why it is not executed; null: it is. Written after the language: `sh not-run: it would end the service`. */
	readonly notRun: string | null;
	readonly text: string;
}

const NOT_RUN = /^not-run: (.+)$/;

/**
 * The samples of a document, in their order. Throws if a fence has unknown words after its language, or is not closed.
 */
export function samplesOf({ path, text }: Page): Sample[] {
	const samples: Sample[] = [];
	const lines = text.split("\n");
	for (let at = 0; at < lines.length; at++) {
		const [, info] = /^```(.*)$/.exec(lines[at] ?? "") ?? [];
		if (info === undefined) continue;
		const from = at + 1;
		do at++;
		while (at < lines.length && lines[at] !== "```");
		if (at === lines.length) throw new Error(`${path}:${from} opens a sample that nothing closes`);
		const [language = "", ...words] = info.trim().split(" ");
		const [, notRun = null] = NOT_RUN.exec(words.join(" ")) ?? [];
		if (words.length > 0 && notRun === null)
			throw new Error(`${path}:${from}: a sample is marked by "not-run: why" alone, not by "${words.join(" ")}"`);
		samples.push({ at: `${path}:${from}`, language, notRun, text: lines.slice(from, at).join("\n") });
	}
	return samples;
}

/** The documents from which a partner's developer copies: the README, the guides, and the pages about error codes. */
export const readGuides = (): Page[] => [
	{ path: "README.md", text: readText("README.md") },
	...readPages("docs/partner"),
	...readPages("docs/errors"),
];

/** Whether there is a Python with the package that the samples use, which takes long to load; `.ci/run` installs it. */
export const hasPython = (): boolean =>
	process.env.CI !== undefined ||
	spawnSync("python3", ["-c", "import importlib.util as u, sys; sys.exit(u.find_spec('requests') is None)"]).status ===
		0;
