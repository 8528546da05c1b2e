import { notRaw, type RawBody, readBody, refuseOver } from "./body.ts";
import { WebhookError } from "./error.ts";
import type { WebhookEvent } from "./event.ts";
import { readEvent } from "./read-event.ts";
import { type Secrets, signaturesOf } from "./sign.ts";

/** Milliseconds by which the time of an attempt may differ from now, in both directions (contract, section 8). */
const TOLERANCE_MS = 300_000;

interface HeadersOfWeb {
	get(name: string): string | null;
}
type HeadersOfNode = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is used of a `Request`. */
export interface WebRequest {
	readonly headers: HeadersOfWeb;
	readonly body: object | null;
	readonly bodyUsed: boolean;
}

/** A delivery: a `Request`, or its headers, with names in any case, and its body as it arrived. */
export type WebhookRequest = WebRequest | { readonly headers: HeadersOfWeb | HeadersOfNode; readonly body: RawBody };

export interface VerifyOptions {
	/** Milliseconds by which the time of an attempt may differ from now; 300,000 when absent. */
	readonly toleranceMs?: number;
	/** For tests; the system's clock when absent. */
	readonly clock?: { now(): number };
}

/**
 * The event of a delivery, once a signature by one of `secret` matches the bytes of the body, and its time is near now.
 * @throws WebhookError
 */
export async function verifyWebhook(
	request: WebhookRequest,
	secret: Secrets,
	{ toleranceMs = TOLERANCE_MS, clock = Date }: VerifyOptions = {},
): Promise<WebhookEvent> {
	const { headers } = request;
	const id = mustHave(headers, "webhook-id");
	const timestamp = mustHave(headers, "webhook-timestamp");
	const given = mustHave(headers, "webhook-signature").split(" ");
	judgeTime(timestamp, clock.now(), toleranceMs);
	if ("bodyUsed" in request && request.bodyUsed) throw notRaw();
	refuseOver(Number(headerOf(headers, "content-length")));
	const body = await readBody(request.body);
	const expected = await signaturesOf(id, timestamp, body, secret);
	if (!given.some((one) => expected.some((two) => isSame(one, two)))) {
		throw new WebhookError(
			"signature_mismatch",
			"No signature matches: the secret is another endpoint's, or the body is not what was sent, byte for byte.",
		);
	}
	return readEvent(id, new TextDecoder().decode(body));
}

function mustHave(headers: HeadersOfWeb | HeadersOfNode, name: string): string {
	const value = headerOf(headers, name);
	if (value) return value;
	throw new WebhookError("header_missing", `The header ${name} is missing.`);
}

/** Empty when it is absent. */
function headerOf(headers: HeadersOfWeb | HeadersOfNode, name: string): string {
	const isOfWeb = (given: typeof headers): given is HeadersOfWeb => typeof given.get === "function";
	const value = isOfWeb(headers)
		? headers.get(name)
		: Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
	return [value ?? ""].flat().join(" ");
}

function judgeTime(timestamp: string, now: number, toleranceMs: number): void {
	if (!/^\d{1,12}$/.test(timestamp)) {
		throw new WebhookError("timestamp_invalid", "The header webhook-timestamp is not a number.");
	}
	const ageMs = now - Number(timestamp) * 1_000;
	if (Math.abs(ageMs) <= toleranceMs) return;
	throw new WebhookError(
		"timestamp_out_of_tolerance",
		`The delivery is ${ageMs} ms old; the limit is ${toleranceMs} ms either way. Check this machine's clock.`,
	);
}

/** Takes the same time wherever two texts of the same length differ. */
function isSame(one: string, two: string): boolean {
	let difference = one.length ^ two.length;
	for (let at = 0; at < two.length; at++) difference |= one.charCodeAt(at) ^ two.charCodeAt(at);
	return difference === 0;
}
