import { parseEnv } from "node:util";

/** A line of a file of environment variables, or several lines if a quoted value spans them. */
interface Entry {
	/** The line as it is, with its line break. */
	readonly text: string;
	/** Null: a comment, a blank line, or something else. */
	readonly name: string | null;
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([^\s=#"'`]+)[ \t]*=[ \t]*/;
/**
 * A value in quotes, to the next quote of the same kind, on whichever line; a quote that is not closed is part of the
 * value.
 */
const QUOTED = /^(["'`])[\s\S]*?\1/;

function entriesOf(text: string): Entry[] {
	const entries: Entry[] = [];
	for (let rest = text; rest !== ""; rest = rest.slice(entries.at(-1)?.text.length)) {
		const [start = "", name] = ASSIGNMENT.exec(rest) ?? [];
		const [quoted = ""] = name === undefined ? [] : (QUOTED.exec(rest.slice(start.length)) ?? []);
		const lineEnd = rest.indexOf("\n", start.length + quoted.length);
		entries.push({ text: lineEnd === -1 ? rest : rest.slice(0, lineEnd + 1), name: name ?? null });
	}
	return entries;
}

/**
 * The text of a file of environment variables with these variables set, and everything else unchanged. A variable that
 * has another value is kept as a comment, because a key's secret is shown only once; a new one is added at the end.
 */
export function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
	const end = text.includes("\r\n") ? "\r\n" : "\n";
	const missing = new Map(Object.entries(variables));
	const before = entriesOf(text).map((entry) => {
		const { name } = entry;
		const wanted = name === null || !Object.hasOwn(variables, name) ? undefined : variables[name];
		if (name === null || wanted === undefined) return entry.text;
		const isFirst = missing.delete(name);
		const value = parseEnv(entry.text)[name];
		if (value === wanted) return isFirst ? entry.text : "";
		return `${value === "" ? "" : commented(entry, end)}${isFirst ? assignment(name, wanted, end) : ""}`;
	});
	const added = [...missing].map(([name, value]) => assignment(name, value, end)).join("");
	const last = before.findLast((one) => one !== "") ?? "\n";
	return `${before.join("")}${added === "" || last.endsWith("\n") ? "" : end}${added}`;
}

function commented({ text }: Entry, end: string): string {
	const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
	return lines.map((line) => `# ${line}${end}`).join("");
}

/** Values of the SDK have neither line breaks nor quotes. */
function assignment(name: string, value: string, end: string): string {
	return `${name}=${/[\s#]/.test(value) ? `"${value}"` : value}${end}`;
}
