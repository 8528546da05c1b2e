import { randomBytes } from "node:crypto";
import { signaturesOf } from "../../webhooks/sign.ts";
import { withCause } from "../failure.ts";

/** Whether a delivery is valid, or what is wrong with it. `again`: the previous one once more, under its id. */
export type DeliveryKind = "good" | "bad_signature" | "late" | "again";

export interface Delivery {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** Age of a late delivery: a receiver refuses what is older than five minutes (contract, events). */
const LATE_SECONDS = 360;
/** Milliseconds that the service waits for an answer (guide: webhooks). */
const WITHIN_MS = 15_000;

/** Characters of an answer that are shown: as many as the service keeps. */
const EXCERPT_CHARACTERS = 200;
const MOST_BYTES_OF_CHARACTER = 4;

export const newEventId = (): string => `evt_${randomBytes(16).toString("hex")}`;
const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** A delivery of a body. Without a secret its signature is a bad one. @throws WebhookError `secret_invalid` */
export async function deliveryOf(
	kind: DeliveryKind,
	id: string,
	body: string,
	secret: string | null,
	now: number,
): Promise<Delivery> {
	const seconds = Math.floor(now / 1_000) - (kind === "late" ? LATE_SECONDS : 0);
	const used = kind === "bad_signature" || secret === null ? newSecret() : secret;
	const signatures = await signaturesOf(id, String(seconds), new TextEncoder().encode(body), used);
	const headers = {
		"content-type": "application/json",
		"user-agent": "holdfast-partner webhooks send",
		"webhook-id": id,
		"webhook-timestamp": String(seconds),
		"webhook-signature": signatures.join(" "),
	};
	return { headers, body };
}

/** What a receiver answered. */
export interface Answer {
	/** Null: nothing. */
	readonly status: number | null;
	readonly ms: number;
	/** Why there is no answer. */
	readonly error: string | null;
	/** How its body begins; empty if it has none. */
	readonly excerpt: string;
}

/** Posts a delivery as the service does: within its time, without following redirects. Never rejects. */
export async function post(url: string, { headers, body }: Delivery): Promise<Answer> {
	const start = performance.now();
	const after = (): number => Math.round(performance.now() - start);
	try {
		const signal = AbortSignal.timeout(WITHIN_MS);
		const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
		const ms = after();
		return { status: response.status, ms, error: null, excerpt: await excerptOf(response).catch(() => "") };
	} catch (error) {
		return { status: null, ms: after(), error: withCause(error as Error), excerpt: "" };
	}
}

/** The first characters of a body, reading no more than is needed for them. */
async function excerptOf({ body }: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body ?? []) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes >= EXCERPT_CHARACTERS * MOST_BYTES_OF_CHARACTER) break;
	}
	const text = Buffer.concat(chunks).toString();
	const characters = Array.from(text.slice(0, 2 * EXCERPT_CHARACTERS + 2));
	return characters.length > EXCERPT_CHARACTERS ? `${characters.slice(0, EXCERPT_CHARACTERS).join("")}…` : text;
}

/** What is wrong with an answer, and what to do; null: it is right (guide: going live, the messages). */
export function problemWith(kind: DeliveryKind, { status, error }: Omit<Answer, "excerpt">): string | null {
	if (status === null) return `There was no answer: ${error}`;
	if (status === 410)
		return "410 ends the endpoint: the service would send nothing there any more. Answer something else.";
	const isAccepted = status >= 200 && status < 300;
	const isRefused = status >= 400 && status < 500;
	if (kind === "good") return isAccepted ? null : `It must be answered 2xx: ${status} makes the service send it again.`;
	if (kind === "again") {
		return isAccepted
			? null
			: `A repeated id must be answered 2xx, and nothing done twice: ${status} makes the service send it again.`;
	}
	if (isRefused) return null;
	const what = kind === "late" ? "An event that is six minutes old" : "An event with a bad signature";
	const done = isAccepted ? "it was accepted: anybody could forge events" : `it was answered ${status}`;
	return `${what} must be refused with 4xx, such as ${kind === "late" ? 400 : 401}; ${done}. verifyWebhook of the SDK checks both.`;
}
