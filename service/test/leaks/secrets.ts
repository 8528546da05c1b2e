import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFinder, type Finder, SHORTEST_TRACE, type Trace } from "./find.ts";

/** Secrets that this process has learnt since it last handed over, each with what it is. */
const known = new Map<string, string>();

/** The known prefix of a secret, before the part that nobody can guess. */
const PREFIX = /^(?:sk_hf_(?:live|sandbox)_|whsec_|[A-Za-z0-9_-]{1,32}:(?=[A-Za-z0-9+/]{43}=$))/;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;

/** Registers a secret that must not be found anywhere from now on. @throws if it is too short to search for */
export function keepSecret(what: string, secret: string): void {
	if (secret.replace(PREFIX, "").length < SHORTEST_TRACE) throw new Error(`${what} of the test is too short`);
	known.set(secret, what);
}

/** Registers the secrets that a command printed, or a service returned, to their owner. */
export function keepSecretsOf(shown: string): void {
	for (const [secret] of shown.matchAll(/sk_hf_(?:live|sandbox)_[0-9A-Za-z]{49}/g))
		keepSecret("a key's secret", secret);
	for (const [secret] of shown.matchAll(/whsec_[0-9A-Za-z+/]{43}=/g)) keepSecret("a webhook's secret", secret);
}

/**
 * Registers the secrets among a process's settings. Short values are skipped, because a test cannot search for them.
 */
export function keepSecretsOfSettings(env: Readonly<Record<string, string | undefined>>): void {
	for (const entry of env.HOLDFAST_SECRET_KEYS?.split(",") ?? [])
		if (BASE64_OF_32_BYTES.test(entry.trim().replace(PREFIX, ""))) keepSecret("an entry of the key ring", entry.trim());
	for (const [name, secret] of [
		["the password of the mail server", passwordOf(env.HOLDFAST_SMTP_URL)],
		["the label platform's key", env.HOLDFAST_SHIPSTATION_API_KEY],
		["the secret at the sign-in provider", env.HOLDFAST_ADMIN_OIDC_CLIENT_SECRET],
		["the secret of the label platform's notifications", env.HOLDFAST_SHIPSTATION_HOOK_SECRET],
	] as const)
		if (secret !== undefined && secret.length >= SHORTEST_TRACE) keepSecret(name, secret);
}

function passwordOf(url: string | undefined): string | undefined {
	return url !== undefined && URL.canParse(url) ? decodeURIComponent(new URL(url).password) : undefined;
}

/** As text and in hex, and the encoded value as bytes and in hex. */
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

/** Has this process seen any secret? If not, there is nothing to search for. */
export const knowsSecrets = (): boolean => known.size > 0;

/** Searches for all secrets that this process has seen. */
export const finderOfKnown = (): Finder => createFinder([...known].flatMap(([secret, what]) => tracesOf(secret, what)));

/** Hands what this process has learnt to the end of the run, and forgets it: its next test file begins with nothing. */
export function handOver(folder: string): void {
	if (known.size === 0) return;
	const lines = [...known].map(([secret, what]) => `${JSON.stringify([secret, what])}\n`);
	appendFileSync(join(folder, String(process.pid)), lines.join(""));
	known.clear();
}

/** Loads the secrets that all processes have seen. Returns their number. */
export function takeOver(folder: string): number {
	for (const name of readdirSync(folder)) {
		for (const line of readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean)) {
			const [secret, what] = JSON.parse(line) as [string, string];
			keepSecret(what, secret);
		}
	}
	return known.size;
}
