import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { Holdfast, type KeyOptions } from "../client/holdfast.ts";
import type { Options } from "./command.ts";
import { usage } from "./failure.ts";
import { tellingClock } from "./telling-clock.ts";
import { tell } from "./terminal.ts";
import { tokenProblem } from "./token.ts";

/** Where a partner's settings are kept, in the folder of its program. */
export const ENV_FILE = ".env";

/** The options of commands that use a key. */
export const ACCESS = {
	url: { type: "string", value: "URL", text: "address of the service (HOLDFAST_URL)" },
	"coa-url": { type: "string", value: "URL", text: "address of the certificates (HOLDFAST_COA_URL)" },
	token: {
		type: "string",
		value: "pk_…:sk_…",
		text: "the key; better in HOLDFAST_TOKEN, where no list of processes shows it",
	},
} as const satisfies Options;

export interface Given {
	readonly url?: string;
	readonly "coa-url"?: string;
	readonly token?: string;
}

export interface Settings {
	readonly url: string | undefined;
	readonly coaUrl: string | undefined;
	readonly token: string | undefined;
}

/** Milliseconds that a request may take: a person is waiting. */
const TIMEOUT_MS = 10_000;

/** Variables of the shell, and those of the file `.env` that the shell does not have. */
export async function readVariables(): Promise<Readonly<Record<string, string | undefined>>> {
	const text = await readFile(ENV_FILE, "utf8").catch((error: { readonly code?: unknown }) => {
		if (error.code === "ENOENT") return "";
		throw usage(`The file ${ENV_FILE} of this folder cannot be read (${String(error.code)}).`);
	});
	return { ...parseEnv(text), ...process.env };
}

export function settingsOf(given: Given, variables: Readonly<Record<string, string | undefined>>): Settings {
	const url = given.url ?? variables.HOLDFAST_URL;
	const coaUrl = given["coa-url"] ?? variables.HOLDFAST_COA_URL;
	const token = (given.token ?? variables.HOLDFAST_TOKEN)?.trim();
	return { url: url && addressOf(url), coaUrl: coaUrl && addressOf(coaUrl), token };
}

/**
 * An address as a person types it: without a scheme, or with the path of an operation. @throws CommandFailure `usage`
 */
export function addressOf(text: string): string {
	const typed = text.trim();
	const isHere = /^(?:localhost|127\.|\[::1\])/.test(typed);
	const full = /^[a-z]+:\/\//i.test(typed) ? typed : `${isHere ? "http" : "https"}://${typed}`;
	if (!URL.canParse(full) || !/^https?:\/\/[^/]/i.test(full)) {
		throw usage(`"${text}" is not an address: expected one such as https://api.example.com.`);
	}
	const { origin, pathname } = new URL(full);
	return `${origin}${pathname.replace(/\/+$|\/(?:api|docs|coa)(?:\/.*)?$/, "")}`;
}

/** Whether an address is this machine's, where plain http harms nobody. */
export const isHere = (url: string): boolean => /^http:\/\/(?:localhost|127\.|\[::1\])/.test(url);

/** An address and a key, or why there is none. @throws CommandFailure `usage` */
export function accessOf({ url, token }: Settings): { readonly url: string; readonly token: string } {
	const missing = [...(url ? [] : ["HOLDFAST_URL (or --url)"]), ...(token ? [] : ["HOLDFAST_TOKEN (or --token)"])];
	if (!url || !token) throw usage(`Set ${missing.join(" and ")}, or let "holdfast-partner init" write the file .env.`);
	const problem = tokenProblem(token);
	if (problem !== null) throw usage(problem);
	return { url, token };
}

/** A client of the service. @throws CommandFailure `usage` */
export function clientOf(settings: Settings, options: Partial<KeyOptions> = {}): Holdfast {
	const { url, token } = accessOf(settings);
	const { coaUrl } = settings;
	const clock = tellingClock(tell);
	return new Holdfast({ baseUrl: url, token, timeoutMs: TIMEOUT_MS, clock, ...(coaUrl && { coaUrl }), ...options });
}

/** The same with the settings of the command line, the shell and `.env`. */
export async function openClient(given: Given, options?: Partial<KeyOptions>): Promise<Holdfast> {
	return clientOf(settingsOf(given, await readVariables()), options);
}
