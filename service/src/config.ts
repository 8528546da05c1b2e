import { resolve } from "node:path";
import { COA_VARIABLES, type CoaSettings, readCoaSettings, shownCoaSettings } from "./ground/lib/coa-settings.ts";
import type { LogLevel } from "./ground/lib/log.ts";
import { lettersOff } from "./ground/lib/nearest.ts";
import { OperatorError } from "./ground/lib/operator-error.ts";
import {
	type LabelPlatformName,
	SettingProblem,
	toBoolean,
	toCarriers,
	toCidrs,
	toDatabaseUrl,
	toHeaderValue,
	toHost,
	toHttpUrl,
	toInteger,
	toLabelPlatform,
	toLogLevel,
	toMailAddress,
	toPathSecret,
	toPort,
	toSafeUrl,
	toSmtpUrl,
	toSwitch,
	toTimeZone,
} from "./ground/lib/setting.ts";
import { quotedCommand } from "./ground/lib/typed-command.ts";

/** Every variable Holdfast reads, with its meaning; any other HOLDFAST_* stops the start. */
export const VARIABLES = {
	HOLDFAST_HOST: "address to listen on (127.0.0.1)",
	HOLDFAST_PORT: "port of the partner API (4000; 0: any free port)",
	HOLDFAST_COA_PORT: "port of the COA feed (4001; 0: any free port)",
	HOLDFAST_METRICS_PORT: "port of the Prometheus metrics (unset: no metrics address; 0: any free port)",
	HOLDFAST_URL: "public address of the partner API (unset: the bound one)",
	HOLDFAST_COA_URL: "public address of the COA feed (unset: the bound one)",
	HOLDFAST_DATA_DIR: "folder of the embedded database and the generated secrets (./data)",
	HOLDFAST_DATABASE_URL: "PostgreSQL 15 or newer to use instead of the embedded one",
	HOLDFAST_PG_BIN:
		"folder of the initdb and postgres to use for the embedded database (unset: those installed with Holdfast)",
	HOLDFAST_TIME_ZONE: "time zone that decides which day it is, so which lots are in date (UTC)",
	HOLDFAST_SECRET_KEYS: "key ring, id:base64 of 32 bytes, several separated by commas, the first is current",
	HOLDFAST_ACCEPT_LOST_KEYS: "1: start though the key ring is not the one under which the keys were made (0)",
	HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true: serve on a database that may lose what it acknowledged (false)",
	HOLDFAST_MAX_HELD_UNITS_PER_KEY: "cap on units in active holds of one key (unset: none)",
	HOLDFAST_MAX_TTL_MINUTES: "longest hold in minutes, longer requests are shortened (unset: none)",
	HOLDFAST_STOP_DELAY_SECONDS: "seconds that requests are still served after SIGTERM, while /readyz answers 503 (0)",
	HOLDFAST_TRUSTED_PROXIES:
		"CIDRs of the proxies whose X-Forwarded-For says where a request comes from, separated by commas (none)",
	HOLDFAST_LABEL_PLATFORM:
		"who prints shipping labels: built-in (orders are packed from the service's own queue) or shipstation (built-in)",
	HOLDFAST_SHIPSTATION_API_KEY: "key of ShipStation's API, version 2; needed with HOLDFAST_LABEL_PLATFORM=shipstation",
	HOLDFAST_SHIPSTATION_URL: "address of ShipStation's API (https://api.shipstation.com)",
	HOLDFAST_SHIPSTATION_REQUESTS_PER_MINUTE: "requests that this node sends to ShipStation in a minute at most (190)",
	HOLDFAST_SHIPSTATION_HOOK_SECRET:
		"last part of the address that ShipStation sends notifications to, /hooks/shipstation/<secret> (unset: it sends none)",
	HOLDFAST_CARRIERS:
		"tracking pages of carriers, as JSON or the path of a JSON file: {code: address with {tracking_number}} (the usual carriers)",
	...COA_VARIABLES,
	HOLDFAST_WEBHOOK_ALLOW:
		"CIDRs that webhooks may be sent to though they are not public, over plain http too, for development (none)",
	HOLDFAST_WEBHOOK_RETENTION_DAYS: "days that events and their deliveries are kept (30)",
	HOLDFAST_SMTP_URL: "mail server for notices about webhooks, smtp://user:password@host:587 (unset: no mails)",
	HOLDFAST_MAIL_FROM: "sender of these mails; needed with HOLDFAST_SMTP_URL",
	HOLDFAST_MAIL_TO: "who gets them; needed with HOLDFAST_SMTP_URL",
	HOLDFAST_LOG_LEVEL: "debug, info, warn, error or silent (info)",
} as const;
export type Variable = keyof typeof VARIABLES;
export type Env = Readonly<Partial<Record<Variable, string>>>;

/** Of the 200 that ShipStation allows an account; the rest is for other programs of the account. */
const SHIPSTATION_REQUESTS = 190;
/** More than ShipStation allows anybody; fewer than the least would leave no room for requests that partners wait for. */
const [LEAST_REQUESTS, MOST_REQUESTS] = [10, 100_000] as const;
const SHIPSTATION_URL = "https://api.shipstation.com";

export interface Config {
	readonly host: string;
	readonly port: number;
	readonly coaPort: number;
	/** Null: no metrics address. */
	readonly metricsPort: number | null;
	/** Public addresses, without a slash at the end; null: the bound ones. */
	readonly url: string | null;
	readonly coaUrl: string | null;
	/** Absolute. */
	readonly dataDir: string;
	/** Null: the embedded PostgreSQL. */
	readonly databaseUrl: string | null;
	readonly pgBin: string | null;
	/** IANA name; decides which lots are in date. */
	readonly timeZone: string;
	/** The key ring's text; null: not set. keys/load-key-ring.ts makes the ring of it. */
	readonly secretKeys: string | null;
	readonly acceptLostKeys: boolean;
	readonly acceptUnsafeDatabase: boolean;
	readonly maxHeldUnitsPerKey: number | null;
	readonly maxTtlMinutes: number | null;
	/** How long a stop is announced before it begins. */
	readonly stopDelaySeconds: number;
	/** CIDRs of proxies that are believed; each with its bits. */
	readonly trustedProxies: readonly string[];
	readonly labelPlatform: LabelPlatformName;
	/** Null only where the label platform is the built-in queue. */
	readonly shipstationApiKey: string | null;
	/** Without a slash at the end. */
	readonly shipstationUrl: string;
	/** In a minute, of this node. */
	readonly shipstationRequests: number;
	/** Null: no address for notifications. */
	readonly shipstationHookSecret: string | null;
	/** Addresses of carriers' tracking pages by carrier code, beside those that Holdfast knows. */
	readonly carriers: Readonly<Record<string, string>>;
	/** Of certificates. */
	readonly coa: CoaSettings;
	/** CIDRs, each with its bits. */
	readonly webhookAllow: readonly string[];
	readonly webhookRetentionDays: number;
	/** Null: no mails are sent. */
	readonly mail: { readonly smtpUrl: string; readonly from: string; readonly to: string } | null;
	readonly logLevel: LogLevel;
}

/** What is wrong with the configuration, one line for each bad variable. */
export class ConfigError extends OperatorError {
	readonly problems: readonly string[];
	constructor(problems: readonly string[]) {
		super(problems.join("\n"));
		this.problems = problems;
	}
}

/** The largest cap: the largest count of units a column holds. */
const MAX_UNITS = 2_147_483_647;
/** A year, the longest hold of the contract, in minutes. */
const MAX_TTL_MINUTES = 525_600;
/** The longest announcement of a stop: no balancer needs an hour to see it. */
const MAX_STOP_DELAY_SECONDS = 3_600;
/** Days that events are kept, at most: ten years. */
const MAX_RETENTION_DAYS = 3_650;
const DEFAULT_RETENTION_DAYS = 30;
/** A misspelt name is taken to mean another when at most so many letters differ. */
const MAX_LETTERS_OFF = 5;

/** The variables of this process that are ours; an empty value counts as unset. Throws ConfigError for a name nobody reads. */
export function readEnv(env: NodeJS.ProcessEnv = process.env): Env {
	const ours = Object.entries(env).filter(([name, value]) => name.startsWith("HOLDFAST_") && value);
	const unknown = ours.map(([name]) => name).filter((name) => !Object.hasOwn(VARIABLES, name));
	if (unknown.length > 0) throw new ConfigError(unknown.map(unknownVariable));
	return Object.fromEntries(ours) as Env;
}

/** The whole configuration, validated. Throws ConfigError naming every bad value at once. */
export function toConfig(env: Env): Config {
	const problems: string[] = [];
	const read = <T>(name: Variable, parse: (text: string) => T | SettingProblem, absent: T): T => {
		const text = env[name];
		if (text === undefined) return absent;
		const value = parse(text);
		if (!(value instanceof SettingProblem)) return value;
		problems.push(`${name}: ${value.text}`);
		return absent;
	};
	const dataDir = resolve(env.HOLDFAST_DATA_DIR ?? "./data");
	const config: Config = {
		host: read("HOLDFAST_HOST", toHost, "127.0.0.1"),
		port: read("HOLDFAST_PORT", toPort, 4000),
		coaPort: read("HOLDFAST_COA_PORT", toPort, 4001),
		metricsPort: read<number | null>("HOLDFAST_METRICS_PORT", toPort, null),
		url: read<string | null>("HOLDFAST_URL", toHttpUrl, null),
		coaUrl: read<string | null>("HOLDFAST_COA_URL", toHttpUrl, null),
		dataDir,
		databaseUrl: read<string | null>("HOLDFAST_DATABASE_URL", toDatabaseUrl, null),
		pgBin: env.HOLDFAST_PG_BIN === undefined ? null : resolve(env.HOLDFAST_PG_BIN),
		timeZone: read("HOLDFAST_TIME_ZONE", toTimeZone, "UTC"),
		secretKeys: env.HOLDFAST_SECRET_KEYS ?? null,
		acceptLostKeys: read("HOLDFAST_ACCEPT_LOST_KEYS", toSwitch, false),
		acceptUnsafeDatabase: read("HOLDFAST_ACCEPT_UNSAFE_DATABASE", toBoolean, false),
		maxHeldUnitsPerKey: read<number | null>(
			"HOLDFAST_MAX_HELD_UNITS_PER_KEY",
			(text) => toInteger(text, 1, MAX_UNITS),
			null,
		),
		maxTtlMinutes: read<number | null>("HOLDFAST_MAX_TTL_MINUTES", (text) => toInteger(text, 1, MAX_TTL_MINUTES), null),
		stopDelaySeconds: read("HOLDFAST_STOP_DELAY_SECONDS", (text) => toInteger(text, 0, MAX_STOP_DELAY_SECONDS), 0),
		trustedProxies: read<readonly string[]>("HOLDFAST_TRUSTED_PROXIES", toCidrs, []),
		labelPlatform: read<LabelPlatformName>("HOLDFAST_LABEL_PLATFORM", toLabelPlatform, "built-in"),
		shipstationApiKey: read<string | null>("HOLDFAST_SHIPSTATION_API_KEY", toHeaderValue, null),
		shipstationUrl: read("HOLDFAST_SHIPSTATION_URL", toSafeUrl, SHIPSTATION_URL),
		shipstationRequests: read(
			"HOLDFAST_SHIPSTATION_REQUESTS_PER_MINUTE",
			(text) => toInteger(text, LEAST_REQUESTS, MOST_REQUESTS),
			SHIPSTATION_REQUESTS,
		),
		shipstationHookSecret: read<string | null>("HOLDFAST_SHIPSTATION_HOOK_SECRET", toPathSecret, null),
		carriers: read<Readonly<Record<string, string>>>("HOLDFAST_CARRIERS", toCarriers, {}),
		coa: readCoaSettings(env, dataDir, (name, problem) => problems.push(`${name}: ${problem}`)),
		webhookAllow: read<readonly string[]>("HOLDFAST_WEBHOOK_ALLOW", toCidrs, []),
		webhookRetentionDays: read(
			"HOLDFAST_WEBHOOK_RETENTION_DAYS",
			(text) => toInteger(text, 1, MAX_RETENTION_DAYS),
			DEFAULT_RETENTION_DAYS,
		),
		mail: mailOf({
			smtpUrl: read<string | null>("HOLDFAST_SMTP_URL", toSmtpUrl, null),
			from: read<string | null>("HOLDFAST_MAIL_FROM", toMailAddress, null),
			to: read<string | null>("HOLDFAST_MAIL_TO", toMailAddress, null),
		}),
		logLevel: read("HOLDFAST_LOG_LEVEL", toLogLevel, "info"),
	};
	if (config.mail === null && env.HOLDFAST_SMTP_URL !== undefined && problems.length === 0) {
		problems.push("HOLDFAST_SMTP_URL: HOLDFAST_MAIL_FROM and HOLDFAST_MAIL_TO must be set with it");
	}
	if (config.labelPlatform === "shipstation" && env.HOLDFAST_SHIPSTATION_API_KEY === undefined) {
		problems.push("HOLDFAST_SHIPSTATION_API_KEY: must be set with HOLDFAST_LABEL_PLATFORM=shipstation");
	}
	problems.push(...clashes(config));
	if (problems.length > 0) throw new ConfigError(problems);
	return config;
}

/** The configuration as an operator may read it aloud: by variable, secrets masked. */
export function maskedConfig(config: Config): Record<Variable, string | number | boolean | null> {
	return {
		HOLDFAST_HOST: config.host,
		HOLDFAST_PORT: config.port,
		HOLDFAST_COA_PORT: config.coaPort,
		HOLDFAST_METRICS_PORT: config.metricsPort,
		HOLDFAST_URL: config.url,
		HOLDFAST_COA_URL: config.coaUrl,
		HOLDFAST_DATA_DIR: config.dataDir,
		HOLDFAST_DATABASE_URL: config.databaseUrl === null ? null : maskUrl(config.databaseUrl),
		HOLDFAST_PG_BIN: config.pgBin,
		HOLDFAST_TIME_ZONE: config.timeZone,
		HOLDFAST_SECRET_KEYS: config.secretKeys === null ? null : maskKeys(config.secretKeys),
		HOLDFAST_ACCEPT_LOST_KEYS: config.acceptLostKeys,
		HOLDFAST_ACCEPT_UNSAFE_DATABASE: config.acceptUnsafeDatabase,
		HOLDFAST_MAX_HELD_UNITS_PER_KEY: config.maxHeldUnitsPerKey,
		HOLDFAST_MAX_TTL_MINUTES: config.maxTtlMinutes,
		HOLDFAST_STOP_DELAY_SECONDS: config.stopDelaySeconds,
		HOLDFAST_TRUSTED_PROXIES: config.trustedProxies.length === 0 ? null : config.trustedProxies.join(","),
		HOLDFAST_LABEL_PLATFORM: config.labelPlatform,
		HOLDFAST_SHIPSTATION_API_KEY: config.shipstationApiKey === null ? null : "***",
		HOLDFAST_SHIPSTATION_URL: config.shipstationUrl,
		HOLDFAST_SHIPSTATION_REQUESTS_PER_MINUTE: config.shipstationRequests,
		HOLDFAST_SHIPSTATION_HOOK_SECRET: config.shipstationHookSecret === null ? null : "***",
		HOLDFAST_CARRIERS: Object.keys(config.carriers).length === 0 ? null : JSON.stringify(config.carriers),
		...shownCoaSettings(config.coa),
		HOLDFAST_WEBHOOK_ALLOW: config.webhookAllow.length === 0 ? null : config.webhookAllow.join(","),
		HOLDFAST_WEBHOOK_RETENTION_DAYS: config.webhookRetentionDays,
		HOLDFAST_SMTP_URL: config.mail === null ? null : maskUrl(config.mail.smtpUrl),
		HOLDFAST_MAIL_FROM: config.mail?.from ?? null,
		HOLDFAST_MAIL_TO: config.mail?.to ?? null,
		HOLDFAST_LOG_LEVEL: config.logLevel,
	};
}

/** A database address without its password, wherever it stands in it. */
export function maskUrl(url: string): string {
	// up to the last @: a password may hold one that should have been encoded
	return url.replace(/^(\w+:\/\/[^:@/?]*):.*@/, "$1:***@").replace(/([?&]password=)[^&]*/g, "$1***");
}

/** The ids of a key ring without its keys. */
function maskKeys(text: string): string {
	const ids = text.split(",").map((entry) => /^\s*([\w-]{1,32}):/.exec(entry)?.[1] ?? "?");
	return ids.map((id) => `${id}:***`).join(",");
}

function mailOf({
	smtpUrl,
	from,
	to,
}: { readonly [name in "smtpUrl" | "from" | "to"]: string | null }): Config["mail"] {
	return smtpUrl === null || from === null || to === null ? null : { smtpUrl, from, to };
}

function clashes({ port, coaPort, metricsPort }: Config): string[] {
	const ports: [Variable, number | null][] = [
		["HOLDFAST_PORT", port],
		["HOLDFAST_COA_PORT", coaPort],
		["HOLDFAST_METRICS_PORT", metricsPort],
	];
	return ports.flatMap(([name, number], at) => {
		const other = ports.slice(0, at).find(([, taken]) => taken === number);
		return number && other ? [`${name}: ${number} is already the port of ${other[0]}`] : [];
	});
}

function unknownVariable(name: string): string {
	const nearest = Object.keys(VARIABLES)
		.map((known) => ({ known, off: lettersOff(name, known) }))
		.reduce((best, next) => (next.off < best.off ? next : best));
	const hint =
		nearest.off <= MAX_LETTERS_OFF
			? `did you mean ${nearest.known}?`
			: `${quotedCommand("config")} lists those it reads`;
	return `${name}: Holdfast reads no such variable; ${hint}`;
}
