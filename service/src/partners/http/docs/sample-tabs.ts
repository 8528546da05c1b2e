import type { Token } from "markdown-it";

/** The languages of samples, and what their tabs are called. */
export const LANGUAGES: { readonly [language: string]: string } = {
	sh: "curl",
	ts: "TypeScript",
	python: "Python",
};

const TAB = { isTab: true };

/** The language of a code sample: the first word after its fence. */
export const languageOf = ({ info }: Token): string => info.trim().split(/\s+/)[0] ?? "";

/**
 * The tokens of a document with a pair of tokens around each run of samples that follow each other and are in different
 * languages: they show the same step, and become tabs.
 */
export function groupSamples(tokens: readonly Token[]): Token[] {
	const grouped: Token[] = [];
	for (let at = 0; at < tokens.length; ) {
		const run = runAt(tokens, at);
		if (run.length < 2) {
			grouped.push(tokens[at] as Token);
			at++;
		} else {
			const [first] = run as [Token];
			grouped.push(markOf(first, "samples_open", 1), ...run, markOf(first, "samples_close", -1));
			at += run.length;
		}
	}
	return grouped;
}

function runAt(tokens: readonly Token[], from: number): Token[] {
	const run: Token[] = [];
	const seen = new Set<string>();
	for (const token of tokens.slice(from)) {
		const language = token.type === "fence" ? languageOf(token) : "";
		if (LANGUAGES[language] === undefined || seen.has(language)) break;
		seen.add(language);
		run.push(token);
	}
	if (run.length > 1) for (const token of run) token.meta = TAB;
	return run;
}

/** A token of our own, which only our rules render. */
const markOf = (like: Token, type: string, nesting: 1 | -1): Token =>
	({ ...like, type, nesting, content: "" }) as Token;

/** Whether a sample is one of several in a group. */
export const isTab = ({ meta }: Token): boolean => meta === TAB;
