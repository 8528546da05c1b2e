import { join, resolve } from "node:path";
import { MAX_TTL_MINUTES } from "./glossary.ts";
import { COA_SETTINGS, type CoaSettings, coaSettingsOf } from "./ground/lib/coa-settings.ts";
import { maskUrl } from "./ground/lib/mask-url.ts";
import { OperatorError } from "./ground/lib/operator-error.ts";
import {
	helpOf,
	hidden,
	type LabelPlatformName,
	maskKeys,
	optional,
	readSettings,
	type Shown,
	setting,
	shownSettings,
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
	toSecondFactor,
	toSmtpUrl,
	toSwitch,
	toTimeZone,
	toTraffic,
	type ValuesOf,
	type VariableOf,
} from "./ground/lib/setting.ts";
import { TRACE_SETTINGS } from "./ground/lib/trace-settings.ts";
import { unknownVariable } from "./ground/lib/unknown-variable.ts";

/** The largest cap: the largest number of units that a column can store. */
const MAX_UNITS = 2_147_483_647;
/**
 * Maximum number of seconds from the announcement of a stop to its beginning: no load balancer needs an hour to
 * notice it.
 */
const MAX_STOP_DELAY_SECONDS = 3_600;
/** Maximum number of days for which events can be kept: ten years. */
const MAX_RETENTION_DAYS = 3_650;
const DEFAULT_RETENTION_DAYS = 30;
/** Days from the end of an order: thirteen months, so that a complaint about last year's order still finds it. */
const DEFAULT_CUSTOMER_DATA_DAYS = 400;
/** ShipStation allows an account 200 requests per minute; the rest is left to the account's other programs. */
const SHIPSTATION_REQUESTS = 190;
/**
 * The maximum is more than ShipStation allows anyone; below the minimum there would be no room for requests that
 * partners wait for.
 */
const [LEAST_REQUESTS, MOST_REQUESTS] = [10, 100_000] as const;
const SHIPSTATION_URL = "https://api.shipstation.com";

/**
 * Every variable that Holdfast reads, except those for mails and certificates; any other HOLDFAST_* stops the start.
 */
const SETTINGS = {
	host: setting("HOLDFAST_HOST", "address to listen on (127.0.0.1)", toHost, "127.0.0.1"),
	port: setting("HOLDFAST_PORT", "port of the partner API (4000; 0: any free port)", toPort, 4000),
	coaPort: setting("HOLDFAST_COA_PORT", "port of the COA feed (4001; 0: any free port)", toPort, 4001),
	/** Null: no metrics server. */
	metricsPort: optional(
		"HOLDFAST_METRICS_PORT",
		"port of the Prometheus metrics (unset: no metrics address; 0: any free port)",
		toPort,
	),
	admin: setting(
		"HOLDFAST_ADMIN",
		"off: the operator's API is served on the socket only, not on the network (on)",
		toSwitch,
		true,
		(isOn) => (isOn ? "on" : "off"),
	),
	/** Null: that of the partner API. */
	adminHost: optional("HOLDFAST_ADMIN_HOST", "address of the operator's API (unset: that of the partner API)", toHost),
	/** Null: that of the partner API. */
	adminPort: optional(
		"HOLDFAST_ADMIN_PORT",
		"port of the operator's API (unset: that of the partner API; 0: any free port)",
		toPort,
	),
	/** Without a slash at the end; null: that of the partner API, or the bound one. */
	adminUrl: optional(
		"HOLDFAST_ADMIN_URL",
		"public address of the operator's API (unset: that of the partner API, or the bound one)",
		toHttpUrl,
	),
	/** Null: required unless the public address is loopback. */
	adminSecondFactor: optional(
		"HOLDFAST_ADMIN_SECOND_FACTOR",
		"required or optional (unset: required unless the operator's API is reached over loopback)",
		toSecondFactor,
		(isRequired) => (isRequired ? "required" : "optional"),
	),
	/** Null: people sign in with a password or a passkey alone. */
	oidcIssuer: optional(
		"HOLDFAST_ADMIN_OIDC_ISSUER",
		"OpenID Connect provider at which people may sign in to the console (unset: none)",
		toSafeUrl,
	),
	oidcClientId: optional(
		"HOLDFAST_ADMIN_OIDC_CLIENT_ID",
		"Holdfast's id at this provider; needed with HOLDFAST_ADMIN_OIDC_ISSUER",
		toHeaderValue,
	),
	oidcClientSecret: optional(
		"HOLDFAST_ADMIN_OIDC_CLIENT_SECRET",
		"Holdfast's secret at this provider; needed with HOLDFAST_ADMIN_OIDC_ISSUER",
		toHeaderValue,
		hidden,
	),
	oidcRoleClaim: setting(
		"HOLDFAST_ADMIN_OIDC_ROLE_CLAIM",
		"claim of the id token that has a person's role: viewer, warehouse, operator or admin (holdfast_role)",
		toHeaderValue,
		"holdfast_role",
	),
	/** Null only until the configuration is complete. */
	adminSocket: optional(
		"HOLDFAST_ADMIN_SOCKET",
		"Unix socket of the operator's API (admin.sock in the data folder)",
		(text) => resolve(text),
	),
	/** Used by the command line only. */
	operatorToken: optional(
		"HOLDFAST_OPERATOR_TOKEN",
		"token with which commands call the service at HOLDFAST_URL, op_hf_…:os_hf_… (unset: they use the socket)",
		toHeaderValue,
		hidden,
	),
	/** Public addresses, without a slash at the end; null: the bound ones. */
	url: optional("HOLDFAST_URL", "public address of the partner API (unset: the bound one)", toHttpUrl),
	coaUrl: optional("HOLDFAST_COA_URL", "public address of the COA feed (unset: the bound one)", toHttpUrl),
	/** Absolute; null only until the configuration is complete. */
	dataDir: optional("HOLDFAST_DATA_DIR", "folder of the embedded database and the generated secrets (./data)", (text) =>
		resolve(text),
	),
	/** Null: the embedded PostgreSQL. */
	databaseUrl: optional(
		"HOLDFAST_DATABASE_URL",
		"PostgreSQL 15 or newer to use instead of the embedded one",
		toDatabaseUrl,
		maskUrl,
	),
	/** Null: the primary answers everything. */
	databaseReadUrl: optional(
		"HOLDFAST_DATABASE_READ_URL",
		"streaming replica of that database, for reads that decide nothing (unset: none)",
		toDatabaseUrl,
		maskUrl,
	),
	pgBin: optional(
		"HOLDFAST_PG_BIN",
		"folder of the programs initdb and postgres for the embedded database (unset: those installed with Holdfast)",
		(text) => resolve(text),
	),
	/** IANA name; decides which lots are in date. */
	timeZone: setting(
		"HOLDFAST_TIME_ZONE",
		"time zone that decides which day it is, and therefore which lots are in date (UTC)",
		toTimeZone,
		"UTC",
	),
	/** The text of the key ring, which keys/load-key-ring.ts parses. */
	secretKeys: optional(
		"HOLDFAST_SECRET_KEYS",
		"key ring, id:base64 of 32 bytes, several separated by commas, the first is current",
		(text) => text,
		maskKeys,
	),
	acceptLostKeys: setting(
		"HOLDFAST_ACCEPT_LOST_KEYS",
		"true: start although no stored secret was created under this key ring (false)",
		toBoolean,
		false,
	),
	acceptUnsafeDatabase: setting(
		"HOLDFAST_ACCEPT_UNSAFE_DATABASE",
		"true: serve on a database that may lose what it acknowledged (false)",
		toBoolean,
		false,
	),
	maxHeldUnitsPerKey: optional(
		"HOLDFAST_MAX_HELD_UNITS_PER_KEY",
		"cap on units in active holds of one key (unset: none)",
		(text) => toInteger(text, 1, MAX_UNITS),
	),
	maxTtlMinutes: optional(
		"HOLDFAST_MAX_TTL_MINUTES",
		"longest hold in minutes; a request for a longer one gets this (unset: none)",
		(text) => toInteger(text, 1, MAX_TTL_MINUTES),
	),
	/** Seconds between the announcement of a stop and its beginning. */
	stopDelaySeconds: setting(
		"HOLDFAST_STOP_DELAY_SECONDS",
		"seconds for which requests are still served after SIGTERM, while /readyz answers 503 (0)",
		(text) => toInteger(text, 0, MAX_STOP_DELAY_SECONDS),
		0,
	),
	/** CIDRs of trusted proxies, each with its prefix length. */
	trustedProxies: setting(
		"HOLDFAST_TRUSTED_PROXIES",
		"CIDRs of the proxies whose X-Forwarded-For is trusted, separated by commas (none)",
		toCidrs,
		[],
	),
	labelPlatform: setting<LabelPlatformName, "HOLDFAST_LABEL_PLATFORM">(
		"HOLDFAST_LABEL_PLATFORM",
		"who prints shipping labels: built-in (orders are packed from the service's own queue) or shipstation (built-in)",
		toLabelPlatform,
		"built-in",
	),
	/** Null only if the label platform is the built-in queue. */
	shipstationApiKey: optional(
		"HOLDFAST_SHIPSTATION_API_KEY",
		"key of ShipStation's API, version 2; needed with HOLDFAST_LABEL_PLATFORM=shipstation",
		toHeaderValue,
		hidden,
	),
	/** Without a trailing slash. */
	shipstationUrl: setting(
		"HOLDFAST_SHIPSTATION_URL",
		`address of ShipStation's API (${SHIPSTATION_URL})`,
		toSafeUrl,
		SHIPSTATION_URL,
	),
	/** Per minute, for this node. */
	shipstationRequests: setting(
		"HOLDFAST_SHIPSTATION_REQUESTS_PER_MINUTE",
		`maximum number of requests that this node sends to ShipStation in a minute (${SHIPSTATION_REQUESTS})`,
		(text) => toInteger(text, LEAST_REQUESTS, MOST_REQUESTS),
		SHIPSTATION_REQUESTS,
	),
	/** Null: no address for notifications. */
	shipstationHookSecret: optional(
		"HOLDFAST_SHIPSTATION_HOOK_SECRET",
		"last part of the address that ShipStation sends notifications to, /hooks/shipstation/<secret> (unset: it sends none)",
		toPathSecret,
		hidden,
	),
	/** Addresses of tracking pages by carrier code, in addition to the carriers that Holdfast knows. */
	carriers: setting(
		"HOLDFAST_CARRIERS",
		"tracking pages of carriers, as JSON or the path of a JSON file: {code: address with {tracking_number}} (the usual carriers)",
		toCarriers,
		{},
		(pages) => (Object.keys(pages).length === 0 ? null : JSON.stringify(pages)),
	),
	/** CIDRs, each with its prefix length. */
	webhookAllow: setting(
		"HOLDFAST_WEBHOOK_ALLOW",
		"CIDRs that webhooks may be sent to although they are not public, also over plain http, for development (none)",
		toCidrs,
		[],
	),
	webhookRetentionDays: setting(
		"HOLDFAST_WEBHOOK_RETENTION_DAYS",
		`days that events and their deliveries are kept (${DEFAULT_RETENTION_DAYS})`,
		(text) => toInteger(text, 1, MAX_RETENTION_DAYS),
		DEFAULT_RETENTION_DAYS,
	),
	traffic: setting(
		"HOLDFAST_TRAFFIC",
		"whose requests the log of requests keeps: on (of all keys), sandbox (of sandbox keys), or off (on)",
		toTraffic,
		"on",
	),
	trafficDays: setting(
		"HOLDFAST_TRAFFIC_DAYS",
		`days that requests of live keys are kept; those of sandbox keys are kept 90 days, or as long if that is longer (${DEFAULT_RETENTION_DAYS})`,
		(text) => toInteger(text, 1, MAX_RETENTION_DAYS),
		DEFAULT_RETENTION_DAYS,
	),
	/** Days from the end of an order; 0: until an operator asks for it. */
	customerDataDays: setting(
		"HOLDFAST_CUSTOMER_DATA_DAYS",
		`days from the end of an order for which its customer's data is kept, 0: until it is erased by hand (${DEFAULT_CUSTOMER_DATA_DAYS})`,
		(text) => toInteger(text, 0, MAX_RETENTION_DAYS),
		DEFAULT_CUSTOMER_DATA_DAYS,
	),
	...TRACE_SETTINGS,
	logLevel: setting("HOLDFAST_LOG_LEVEL", "debug, info, warn, error or silent (info)", toLogLevel, "info"),
};

const MAIL_SETTINGS = {
	smtpUrl: optional(
		"HOLDFAST_SMTP_URL",
		"mail server for notices about webhooks, smtp://user:password@host:587 (unset: no mails)",
		toSmtpUrl,
		maskUrl,
	),
	from: optional("HOLDFAST_MAIL_FROM", "sender of these mails; needed with HOLDFAST_SMTP_URL", toMailAddress),
	to: optional("HOLDFAST_MAIL_TO", "recipient of these mails; needed with HOLDFAST_SMTP_URL", toMailAddress),
};

/** The description of every variable, by name. */
export const VARIABLES = { ...helpOf(SETTINGS), ...helpOf(COA_SETTINGS), ...helpOf(MAIL_SETTINGS) };
export type Variable = VariableOf<typeof SETTINGS> | VariableOf<typeof COA_SETTINGS> | VariableOf<typeof MAIL_SETTINGS>;
export type Env = Readonly<Partial<Record<Variable, string>>>;

export interface Config extends Omit<ValuesOf<typeof SETTINGS>, "dataDir" | "adminSocket"> {
	/** Absolute. */
	readonly dataDir: string;
	/** Absolute. */
	readonly adminSocket: string;
	/** Whether the operator named the socket. */
	readonly adminSocketGiven: boolean;
	readonly coa: CoaSettings;
	/** Null: no mails are sent. */
	readonly mail: { readonly smtpUrl: string; readonly from: string; readonly to: string } | null;
}

/** Invalid configuration, one line for each bad variable. */
export class ConfigError extends OperatorError {
	constructor(problems: readonly string[]) {
		super(problems.join("\n"));
	}
}

/** The time zone in which times are shown to people: HOLDFAST_TIME_ZONE, or the shell's. */
export const shownTimeZone = (env: NodeJS.ProcessEnv = process.env): string =>
	env.HOLDFAST_TIME_ZONE || Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The HOLDFAST_ variables of this process; an empty value counts as unset. Throws ConfigError for an unknown name. */
export function readEnv(env: NodeJS.ProcessEnv = process.env): Env {
	const ours = Object.entries(env).filter(([name, value]) => name.startsWith("HOLDFAST_") && value);
	const unknown = ours.map(([name]) => name).filter((name) => !Object.hasOwn(VARIABLES, name));
	if (unknown.length > 0) throw new ConfigError(unknown.map((name) => unknownVariable(name, Object.keys(VARIABLES))));
	return Object.fromEntries(ours) as Env;
}

/** The whole configuration, validated. Throws one ConfigError that names every bad value. */
export function toConfig(env: Env): Config {
	const problems: string[] = [];
	const read = <Table extends typeof SETTINGS | typeof COA_SETTINGS | typeof MAIL_SETTINGS>(table: Table) =>
		readSettings(table, env, (problem) => problems.push(problem));
	const settings = read(SETTINGS);
	const dataDir = settings.dataDir ?? resolve("./data");
	const coa = coaSettingsOf(read(COA_SETTINGS), dataDir);
	const config: Config = {
		...settings,
		dataDir,
		adminSocket: settings.adminSocket ?? join(dataDir, "admin.sock"),
		adminSocketGiven: settings.adminSocket !== null,
		coa,
		mail: mailOf(read(MAIL_SETTINGS)),
	};
	if (config.mail === null && env.HOLDFAST_SMTP_URL !== undefined && problems.length === 0) {
		problems.push("HOLDFAST_SMTP_URL: HOLDFAST_MAIL_FROM and HOLDFAST_MAIL_TO must be set with it");
	}
	const needed: [boolean, Variable, because: string][] = [
		[config.databaseReadUrl !== null, "HOLDFAST_DATABASE_URL", "HOLDFAST_DATABASE_READ_URL"],
		[config.labelPlatform === "shipstation", "HOLDFAST_SHIPSTATION_API_KEY", "HOLDFAST_LABEL_PLATFORM=shipstation"],
		[config.oidcIssuer !== null, "HOLDFAST_ADMIN_OIDC_CLIENT_ID", "HOLDFAST_ADMIN_OIDC_ISSUER"],
		[config.oidcIssuer !== null, "HOLDFAST_ADMIN_OIDC_CLIENT_SECRET", "HOLDFAST_ADMIN_OIDC_ISSUER"],
		[config.adminHost !== null, "HOLDFAST_ADMIN_PORT", "HOLDFAST_ADMIN_HOST"],
	];
	const missing = needed.filter(([isNeeded, name]) => isNeeded && env[name] === undefined);
	problems.push(...missing.map(([, name, because]) => `${name}: must be set with ${because}`), ...clashes(config));
	if (problems.length > 0) throw new ConfigError(problems);
	return config;
}

/** The configuration by variable for display: secrets masked. */
export function maskedConfig(config: Config): Record<Variable, Shown> {
	return {
		...shownSettings(SETTINGS, config),
		...shownSettings(COA_SETTINGS, config.coa),
		...shownSettings(MAIL_SETTINGS, config.mail ?? { smtpUrl: null, from: null, to: null }),
	};
}

function mailOf({ smtpUrl, from, to }: ValuesOf<typeof MAIL_SETTINGS>): Config["mail"] {
	return smtpUrl === null || from === null || to === null ? null : { smtpUrl, from, to };
}

function clashes({ port, coaPort, metricsPort, adminPort }: Config): string[] {
	const ports: [Variable, number | null][] = [
		["HOLDFAST_PORT", port],
		["HOLDFAST_COA_PORT", coaPort],
		["HOLDFAST_METRICS_PORT", metricsPort],
		["HOLDFAST_ADMIN_PORT", adminPort],
	];
	return ports.flatMap(([name, number], at) => {
		const other = ports.slice(0, at).find(([, taken]) => taken === number);
		return number && other ? [`${name}: ${number} is already the port of ${other[0]}`] : [];
	});
}

/** Where systemd waits for notifications, if it started this process with `Type=notify`. */
export const systemdSocket = (): string | undefined => process.env["NOTIFY_SOCKET"];
