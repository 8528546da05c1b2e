/** Maximum nesting of objects and arrays. No operation needs more than four. */
const MAX_DEPTH = 32;

/** A JSON object, or the reason the bytes are rejected. */
export type ReadJson = { readonly body: object } | { readonly problem: string };

/**
 * Reads one JSON object from valid UTF-8. One scan before parsing refuses a text with more than `mostValues` values, or
 * nested deeper than MAX_DEPTH, for a fraction of the cost of parsing it. A member name that occurs twice in one
 * object, in any spelling, is refused too (settlements, section 12): parsers could read such a text as different
 * requests.
 */
export function readJson(bytes: Buffer, mostValues: number): ReadJson {
	const outline = outlineOf(bytes, mostValues);
	if (outline === "many") {
		return {
			problem: `The body contains more than ${mostValues} values: no request of this operation needs that many.`,
		};
	}
	if (outline === "deep") return { problem: `The body is nested deeper than ${MAX_DEPTH} levels.` };
	let body: unknown;
	try {
		const text = bytes.toString("utf8");
		body = JSON.parse(outline.escapedNames ? spellNames(text) : text);
	} catch (error) {
		return { problem: `The body is not valid JSON${whereItBreaks(error)}.` };
	}
	if (typeof body !== "object" || body === null || Array.isArray(body)) {
		return { problem: "The body is not a JSON object." };
	}
	// parsing keeps only one of two members with the same name, so fewer are left than the text has
	if (membersOf(body) !== outline.members) return { problem: "An object of the body has a member name twice." };
	return { body };
}

/** Where a text stops being JSON, as the end of a sentence. Repeats at most one character of the text. */
function whereItBreaks(error: unknown): string {
	const { message } = error as Error;
	const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
	if (line !== undefined) return `: see line ${line}, column ${column}`;
	if (message.startsWith("Unexpected end")) return ": it ends too early";
	const [, character] = /^Unexpected token '(\P{C})'/u.exec(message) ?? [];
	return character === undefined ? "" : `: unexpected ${JSON.stringify(character)}`;
}

/** The result of scanning the bytes of a JSON text. */
interface Outline {
	/** Members of all its objects: its colons outside strings. */
	readonly members: number;
	/** Whether a member name contains a backslash. */
	readonly escapedNames: boolean;
}

/** The highest of the four characters that JSON allows between tokens. */
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Returns "many" or "deep" as soon as the text is known to have too many values or to be nested too deep. Invalid
 * JSON fails only when parsed.
 */
function outlineOf(bytes: Uint8Array, mostValues: number): Outline | "many" | "deep" {
	const { length } = bytes;
	let members = 0;
	let values = 0;
	let depth = 0;
	let escaped = false;
	let escapedNames = false;
	for (let at = 0; at < length; at++) {
		const byte = bytes[at];
		if (byte === QUOTE) {
			escaped = false;
			for (at++; at < length && bytes[at] !== QUOTE; at++) {
				if (bytes[at] !== BACKSLASH) continue;
				escaped = true;
				at++;
			}
		} else if (byte === COLON) {
			members++;
			escapedNames ||= escaped;
		} else if (byte === COMMA) {
			if (++values > mostValues) return "many";
		} else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
			if (++values > mostValues) return "many";
			if (++depth > MAX_DEPTH) return "deep";
		} else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
	}
	return { members, escapedNames };
}

/** Number of members of a parsed value, including nested ones. */
function membersOf(value: object): number {
	let members = 0;
	if (Array.isArray(value)) {
		for (const one of value as unknown[]) if (typeof one === "object" && one !== null) members += membersOf(one);
		return members;
	}
	for (const name in value) {
		members++;
		const one = (value as Record<string, unknown>)[name];
		if (typeof one === "object" && one !== null) members += membersOf(one);
	}
	return members;
}

/**
 * Rewrites member names so that they contain no backslash, where possible. In the V8 of Node 24, JSON.parse can mistake
 * a name with a backslash for the name at the same position in an earlier text
 * (https://github.com/nodejs/node/issues/63785): one partner's body would change how another's is read. No operation
 * has a name that can be written only with a backslash, so one that still has one is refused as unknown in any case.
 */
function spellNames(text: string): string {
	let spelled = "";
	let copied = 0;
	for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
		const start = at;
		let escaped = false;
		for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) {
			if (text.charCodeAt(at) !== BACKSLASH) continue;
			escaped = true;
			at++;
		}
		at++;
		if (!escaped || !isName(text, at)) continue;
		spelled += text.slice(copied, start) + JSON.stringify(JSON.parse(text.slice(start, at)));
		copied = at;
	}
	return spelled + text.slice(copied);
}

/** Whether the string that ends at `end` is a member name, not a value. */
function isName(text: string, end: number): boolean {
	let at = end;
	while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
	return text.charCodeAt(at) === COLON;
}
