/** Parsers for the texts of settings: each returns a value, or the problem with the text. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { TRACKING_NUMBER, wrongInTemplate } from "./tracking-template.ts";

const LABEL_PLATFORMS = ["built-in", "shipstation"] as const;
export type LabelPlatformName = (typeof LABEL_PLATFORMS)[number];
const MAX_PORT = 65_535;
const IPV4_BITS = 32;
const IPV6_BITS = 128;

export class SettingProblem {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

/** One environment variable. */
export interface Setting<T, Variable extends string = string> {
	readonly variable: Variable;
	/** Its meaning, with the default in parentheses; `holdfast config` prints it. */
	readonly help: string;
	readonly absent: T;
	parse(text: string): T | SettingProblem;
	/** The value as it may be printed, without secrets. */
	shown(value: T): Shown;
}
export type Shown = string | number | boolean | null;

export const setting = <T, const Variable extends string>(
	variable: Variable,
	help: string,
	parse: (text: string) => T | SettingProblem,
	absent: T,
	shown: (value: T) => Shown = plainly,
): Setting<T, Variable> => ({ variable, help, absent, parse, shown });

/** A setting without a default. */
export const optional = <T, const Variable extends string>(
	variable: Variable,
	help: string,
	parse: (text: string) => T | SettingProblem,
	shown: (value: T) => Shown = plainly,
): Setting<T | null, Variable> =>
	setting<T | null, Variable>(variable, help, parse, null, (value) => (value === null ? null : shown(value)));

/** Texts, numbers and booleans unchanged, lists joined by commas, null for an empty list. */
function plainly(value: unknown): Shown {
	if (Array.isArray(value)) return value.length === 0 ? null : value.join(",");
	return value as Shown;
}

/** For secrets. */
export const hidden = (): string => "***";

/** The ids of a key ring's entries, without the keys. */
export function maskKeys(text: string): string {
	const ids = text.split(",").map((entry) => /^\s*([\w-]{1,32}):/.exec(entry)?.[1] ?? "?");
	return ids.map((id) => `${id}:***`).join(",");
}

export interface SettingTable {
	readonly [name: string]: Setting<unknown>;
}
export type ValuesOf<Table extends SettingTable> = {
	readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};
export type VariableOf<Table extends SettingTable> = Table[keyof Table]["variable"];

/** Reads every setting of a table. A bad one is reported and gets its default. */
export function readSettings<Table extends SettingTable>(
	table: Table,
	env: Readonly<Partial<Record<string, string>>>,
	report: (problem: string) => void,
): ValuesOf<Table> {
	const read = ({ variable, absent, parse }: Setting<unknown>): unknown => {
		const text = env[variable];
		if (text === undefined) return absent;
		const value = parse(text);
		if (!(value instanceof SettingProblem)) return value;
		report(`${variable}: ${value.text}`);
		return absent;
	};
	return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, read(one)])) as ValuesOf<Table>;
}

/** The values by variable, as they may be printed. */
export function shownSettings<Table extends SettingTable>(
	table: Table,
	values: ValuesOf<Table>,
): Record<VariableOf<Table>, Shown> {
	const rows = Object.entries(table).map(([name, { variable, shown }]) => [variable, shown(values[name])]);
	return Object.fromEntries(rows) as Record<VariableOf<Table>, Shown>;
}

export function helpOf<Table extends SettingTable>(table: Table): Record<VariableOf<Table>, string> {
	const rows = Object.values(table).map(({ variable, help }) => [variable, help]);
	return Object.fromEntries(rows) as Record<VariableOf<Table>, string>;
}

/** A parser by one that returns null for a wrong text. The problem says what was expected, and repeats the text. */
export function expecting<T>(
	expected: string,
	parse: (text: string) => T | null,
): (text: string) => T | SettingProblem {
	return (text) => parse(text) ?? new SettingProblem(`must be ${expected}, not "${text}"`);
}

function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word | null {
	return (text) => words.find((word) => word === text) ?? null;
}

/** The value of a word. */
function meaning<T>(words: { readonly [word: string]: T }): (text: string) => T | null {
	return (text) => (Object.hasOwn(words, text) ? (words[text] ?? null) : null);
}

function matching(pattern: RegExp): (text: string) => string | null {
	return (text) => (pattern.test(text) ? text : null);
}

export const toPort = (text: string): number | SettingProblem => toInteger(text, 0, MAX_PORT);

export function toInteger(text: string, least: number, most: number): number | SettingProblem {
	const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
	return value >= least && value <= most
		? value
		: new SettingProblem(`must be a whole number from ${least} to ${most}, not "${text}"`);
}

/** `true` and `false`, or 1 and 0. */
export const toBoolean = expecting("true or false", meaning({ true: true, 1: true, false: false, 0: false }));

export const toSwitch = expecting("on or off", meaning({ on: true, off: false }));

const TRAFFIC = ["on", "sandbox", "off"] as const;
/** Whose requests are logged. */
export type TrafficKept = (typeof TRAFFIC)[number];

export const toTraffic = expecting("on, sandbox or off", oneOf(TRAFFIC));

/** True: required. */
export const toSecondFactor = expecting("required or optional", meaning({ required: true, optional: false }));

export const toHost = expecting("an address or a host name to listen on", matching(/^[A-Za-z0-9._:%-]+$/));

export function toHttpUrl(text: string): string | SettingProblem {
	const url = URL.parse(text);
	const plain = url !== null && !url.search && !url.hash && !url.username && !url.password;
	if (plain && (url.protocol === "https:" || url.protocol === "http:")) return text.replace(/\/+$/, "");
	return new SettingProblem(`must be an address like https://api.example.com, without a query, not "${text}"`);
}

export function toDatabaseUrl(text: string): string | SettingProblem {
	// the text is not repeated: it may contain a password
	return /^postgres(ql)?:\/\//.test(text)
		? text
		: new SettingProblem("must begin with postgresql://, like postgresql://user:password@host:5432/holdfast");
}

export const toTimeZone = expecting("a time zone like Europe/Berlin", (text) => {
	if (!/^[A-Za-z]/.test(text)) return null; // numeric offsets mean the opposite in PostgreSQL
	try {
		new Intl.DateTimeFormat("en", { timeZone: text });
		return text;
	} catch {
		return null;
	}
});

export const toCidrs = expecting("CIDRs like 10.0.0.0/8 or 2001:db8::/32, separated by commas", (text) => {
	const cidrs = text.split(",").map((one) => toCidr(one.trim()));
	return cidrs.every((one) => one !== null) ? cidrs : null;
});

/** Adds the prefix length if it is missing: a single address is a network of one. */
function toCidr(text: string): string | null {
	const [, address = "", given] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
	const version = isIP(address);
	if (version === 0) return null;
	const most = version === 4 ? IPV4_BITS : IPV6_BITS;
	const bits = Number(given ?? most);
	return bits <= most ? `${address}/${bits}` : null;
}

export const toLabelPlatform = expecting(`one of ${LABEL_PLATFORMS.join(", ")}`, oneOf(LABEL_PLATFORMS));

/** Neither of the next two functions repeats the text, which is a secret. */
export function toHeaderValue(text: string): string | SettingProblem {
	return /^[\x21-\x7e]{1,200}$/.test(text) ? text : new SettingProblem("must be 1 to 200 visible ASCII characters");
}

export function toPathSecret(text: string): string | SettingProblem {
	return /^[A-Za-z0-9_-]{20,100}$/.test(text)
		? text
		: new SettingProblem("must be 20 to 100 letters, digits, - or _, such as `openssl rand -hex 24` prints");
}

/** The text is not repeated: it may contain a password. */
export function toSmtpUrl(text: string): string | SettingProblem {
	const url = URL.parse(text);
	return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ""
		? text
		: new SettingProblem("must begin with smtp:// or smtps://, like smtp://user:password@mail.example.com:587");
}

export const toMailAddress = expecting("an address like ops@example.com", matching(/^[^\s@<>]+@[^\s@<>]+$/));

/** A URL to which credentials are sent: it must use TLS, unless it leads to this machine. */
export function toSafeUrl(text: string): string | SettingProblem {
	const url = toHttpUrl(text);
	if (url instanceof SettingProblem || URL.parse(url)?.protocol === "https:") return url;
	const host = URL.parse(url)?.hostname ?? "";
	return ["127.0.0.1", "localhost", "[::1]"].includes(host)
		? url
		: new SettingProblem(`must be an https:// address, or an http:// address of this machine, not "${text}"`);
}

/** JSON in the variable itself, or in the file that it names. */
export function toCarriers(text: string): Readonly<Record<string, string>> | SettingProblem {
	const expected = `one JSON object that maps carrier codes to addresses with ${TRACKING_NUMBER} in them`;
	const inline = text.trimStart().startsWith("{");
	let pages: unknown;
	try {
		pages = JSON.parse(inline ? text : readFileSync(resolve(text), "utf8"));
	} catch (error) {
		const what = inline ? "its value" : resolve(text);
		return new SettingProblem(`must be ${expected}, and ${what} cannot be read as JSON: ${(error as Error).message}`);
	}
	if (typeof pages !== "object" || pages === null || Array.isArray(pages))
		return new SettingProblem(`must be ${expected}`);
	const wrong = Object.entries(pages).flatMap(([code, page]) => {
		const why = code.trim() === "" ? "have a code" : wrongInTemplate(page);
		return why === null ? [] : [`the address of ${JSON.stringify(code)} must ${why}`];
	});
	return wrong.length === 0
		? (pages as Record<string, string>)
		: new SettingProblem(`must be ${expected}: ${wrong.join("; ")}`);
}

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const toLogLevel = expecting(`one of ${LOG_LEVELS.join(", ")}`, oneOf(LOG_LEVELS));
