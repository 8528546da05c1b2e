import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFinder, type Finder, SHORTEST_TRACE, type Trace } from "./find.ts";

/** Secrets that this process has learnt since it last handed over, each with what it is. */
const known = new Map<string, string>();

/** What comes before the part of a secret that nobody can guess. */
const PREFIX = /^(?:sk_hf_(?:live|sandbox)_|whsec_|[A-Za-z0-9_-]{1,32}:(?=[A-Za-z0-9+/]{43}=$))/;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;

/** From now on it must be nowhere. @throws when it is too short to be looked for */
export function keepSecret(what: string, secret: string): void {
	if (secret.replace(PREFIX, "").length < SHORTEST_TRACE) throw new Error(`${what} of the test is too short`);
	known.set(secret, what);
}

/** Secrets in what a command printed, or a service answered, for the one who asked for them. */
export function keepSecretsOf(shown: string): void {
	for (const [secret] of shown.matchAll(/sk_hf_(?:live|sandbox)_[0-9A-Za-z]{49}/g))
		keepSecret("a key's secret", secret);
	for (const [secret] of shown.matchAll(/whsec_[0-9A-Za-z+/]{43}=/g)) keepSecret("a webhook's secret", secret);
}

/** Those among the settings of a process. Short ones are no secrets that a test could look for. */
export function keepSecretsOfSettings(env: Readonly<Record<string, string | undefined>>): void {
	for (const entry of env.HOLDFAST_SECRET_KEYS?.split(",") ?? [])
		if (BASE64_OF_32_BYTES.test(entry.trim().replace(PREFIX, ""))) keepSecret("an entry of the key ring", entry.trim());
	for (const [name, secret] of [
		["the password of the mail server", passwordOf(env.HOLDFAST_SMTP_URL)],
		["the label platform's key", env.HOLDFAST_SHIPSTATION_API_KEY],
		["the secret of the label platform's notifications", env.HOLDFAST_SHIPSTATION_HOOK_SECRET],
	] as const)
		if (secret !== undefined && secret.length >= SHORTEST_TRACE) keepSecret(name, secret);
}

function passwordOf(url: string | undefined): string | undefined {
	return url !== undefined && URL.canParse(url) ? decodeURIComponent(new URL(url).password) : undefined;
}

/** As text, in hex, and what it stands for as bytes and in hex. */
export function tracesOf(secret: string, what: string): Trace[] {
	const text = secret.replace(PREFIX, "");
	const coded = BASE64_OF_32_BYTES.test(text);
	const plain = Buffer.from(coded ? text.slice(0, -1) : text);
	const bytes = Buffer.from(text, "base64");
	return [
		{ what: `${what}, as text,`, bytes: plain },
		{ what: `${what}, as text in hex,`, bytes: Buffer.from(plain.toString("hex")) },
		...(coded
			? [
					{ what: `${what}, as bytes,`, bytes },
					{ what: `${what}, as bytes in hex,`, bytes: Buffer.from(bytes.toString("hex")) },
				]
			: []),
	];
}

/** Has this process learnt any secret? Where it has not, there is nothing to look for. */
export const knowsSecrets = (): boolean => known.size > 0;

/** Looks for everything that this process has learnt. */
export const finderOfKnown = (): Finder => createFinder([...known].flatMap(([secret, what]) => tracesOf(secret, what)));

/** Hands what this process has learnt to the end of the run, and forgets it: its next test file begins with nothing. */
export function handOver(folder: string): void {
	if (known.size === 0) return;
	const lines = [...known].map(([secret, what]) => `${JSON.stringify([secret, what])}\n`);
	appendFileSync(join(folder, String(process.pid)), lines.join(""));
	known.clear();
}

/** Takes over what all processes have learnt. How many secrets they are. */
export function takeOver(folder: string): number {
	for (const name of readdirSync(folder)) {
		for (const line of readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean)) {
			const [secret, what] = JSON.parse(line) as [string, string];
			keepSecret(what, secret);
		}
	}
	return known.size;
}
