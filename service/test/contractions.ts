import { isBefore } from "../src/ground/lib/version.ts";

/* Reads migrations for what nodes of the previous release could not run with (docs/decisions/0103). */

/** The first line of a contract step names the version since which nothing uses what the step removes. */
const SAYS_SINCE = /^-- Contract step: unused since (\d+\.\d+\.\d+)\b/;

/** A comment before a statement that only looks like a contraction, with the reason. */
const EXCUSE = /^\s*-- expands: \S.*$/m;

/** What an older release may use and a statement removes. The order matters: the first match is named. */
const CONTRACTIONS: readonly (readonly [what: string, statement: RegExp])[] = [
	["drops a table", /\bdrop (?:foreign )?table\b/],
	["drops a view", /\bdrop (?:materialized )?view\b/],
	["drops a type or a schema", /\bdrop (?:type|domain|schema|sequence)\b/],
	["drops a column", /\bdrop column\b/],
	["drops a default", /\bdrop (?:default|expression|identity)\b/],
	["empties a table", /(?<!\b(?:before|after|or) )\btruncate\b/],
	["renames", /\brename\b/],
	["moves to another schema", /\bset schema\b/],
	["refuses null in a column that an older release may leave out", /\bset not null\b/],
	["changes a type", /\balter (?:column )?"?\w+"? (?:set data )?type\b/],
];

/** `add column` up to the comma or the end of the statement that closes it. */
const ADDED_COLUMN = /\badd column (?:if not exists )?(\w+) ((?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^,(])*)/g;
const HAS_A_VALUE = /\bdefault\b|\bgenerated\b|\bserial\b/;

/** Things that a statement may drop if another one of the same migration makes them again, at least as wide. */
const REPLACEABLE = ["constraint", "index", "trigger", "function"] as const;
const dropsOf = (kind: string): RegExp => new RegExp(`\\bdrop ${kind} (?:concurrently )?(?:if exists )?(\\w+)`, "g");
const makes = (kind: string, name: string): RegExp =>
	new RegExp(`\\b(?:add|create(?: or replace)?(?: unique)?) ${kind} (?:concurrently )?(?:if not exists )?${name}\\b`);

/** A constraint or a unique index that a table gets later may refuse what an older release writes. */
const ADDED_RULE = /\badd (?:constraint (\w+)|unique|check|exclude|foreign key|primary key)\b/g;
const UNIQUE_INDEX = /\bcreate unique index (?:concurrently )?(?:if not exists )?(\w+) on (?:only )?(\w+)/;
const MADE_TABLE = /\bcreate (?:unlogged )?table (?:if not exists )?(\w+)/g;
const CHANGED_TABLE = /\balter table (?:if exists )?(?:only )?(\w+)/;

/**
 * Why nodes of the previous release could not run with this migration, as sentences; none if it only expands. It reads
 * words, not meanings: what is safe nevertheless is excused by a line `-- expands: <reason>` before the statement.
 */
export function contractingIn(sql: string): string[] {
	const statements = statementsOf(sql);
	const whole = statements.map(({ text }) => text).join(";\n");
	const made = new Set([...whole.matchAll(MADE_TABLE)].map(([, name]) => name));
	return statements
		.filter(({ excused }) => !excused)
		.flatMap(({ text }) => [...takenBy(text, whole), ...refusedBy(text, whole, made)]);
}

function takenBy(text: string, whole: string): string[] {
	const found = CONTRACTIONS.filter(([, statement]) => statement.test(text)).map(([what]) => what);
	for (const kind of REPLACEABLE) {
		for (const [, name = ""] of text.matchAll(dropsOf(kind))) {
			if (!makes(kind, name).test(whole)) found.push(`drops the ${kind} ${name}`);
		}
	}
	for (const [, column = "", rest = ""] of text.matchAll(ADDED_COLUMN)) {
		const own = rest.replaceAll(/\(.*\)/g, " "); // without its check
		if (/\bnot null\b|\bprimary key\b/.test(own) && !HAS_A_VALUE.test(own))
			found.push(`adds the column ${column} without a default, and refuses null in it`);
	}
	return found;
}

function refusedBy(text: string, whole: string, made: ReadonlySet<string | undefined>): string[] {
	const [, table] = CHANGED_TABLE.exec(text) ?? [];
	const found: string[] = [];
	if (table !== undefined && !made.has(table)) {
		for (const [, name] of text.matchAll(ADDED_RULE)) {
			if (name === undefined || !dropsConstraint(name).test(whole))
				found.push(`adds a rule to ${table} that may refuse what an older release writes`);
		}
	}
	const [, , indexed] = UNIQUE_INDEX.exec(text) ?? [];
	if (indexed !== undefined && !made.has(indexed))
		found.push(`adds a unique index to ${indexed} that may refuse what an older release writes`);
	return found;
}
const dropsConstraint = (name: string): RegExp => new RegExp(`\\bdrop constraint (?:if exists )?${name}\\b`);

/** What is wrong with a contract step of this text, in a build of this version; null if nothing is. */
export function contractProblem(sql: string, version: string): string | null {
	const [, since] = SAYS_SINCE.exec(sql) ?? [];
	if (since === undefined) return "its first line must be: -- Contract step: unused since <version>";
	return isBefore(since, version) ? null : `it was used until ${since}, so ${version} must not take it away yet`;
}

interface Statement {
	/** In lower case, without comments; white space is one space. */
	readonly text: string;
	readonly excused: boolean;
}

/** A comment, a quoted text, a body between dollars, or the end of a statement. */
const PIECES = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

function statementsOf(sql: string): Statement[] {
	const ends = [...sql.matchAll(PIECES)].filter(([piece]) => piece === ";").map(({ index }) => index);
	return [...ends, sql.length]
		.map((end, n) => sql.slice((ends[n - 1] ?? -1) + 1, end))
		.map((part) => ({
			text: part
				.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, " ")
				.replaceAll(/\s+/g, " ")
				.trim()
				.toLowerCase(),
			excused: EXCUSE.test(part),
		}))
		.filter(({ text }) => text !== "");
}
