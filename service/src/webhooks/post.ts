import { Agent, type Dispatcher } from "undici";
import { monotonicMs, PROCESS_TIMERS } from "../lib/clock.ts";
import type { AllowedNetworks } from "./address-rules.ts";
import { type ConnectRules, ForbiddenAddress, guardedConnect, systemLookUp } from "./guarded-connect.ts";
import { type PostOutcome, readRetryAfter } from "./policy.ts";

/** Milliseconds for one attempt, from the first byte to the last (settlements, section 9). */
const POST_WITHIN_MS = 15_000;
/** Milliseconds of them for the connection. */
const CONNECT_WITHIN_MS = 10_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Characters of an answer that are kept. */
const EXCERPT_CHARACTERS = 200;
/** Connections to one origin, and origins with connections. */
const CONNECTIONS_OF_ORIGIN = 16;
const MAX_ORIGINS = 1_000;
/** Milliseconds that an idle connection is kept. */
const KEEP_IDLE_MS = 4_000;
const USER_AGENT = "Holdfast-Webhooks/1";

export interface Post {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** One attempt as it went. */
export interface Posted {
	readonly outcome: PostOutcome;
	readonly durationMs: number;
	/** In words; null: there was an answer. */
	readonly error: string | null;
	/** The first characters of the answer; null: there was none. */
	readonly excerpt: string | null;
}

/** Posts to addresses of strangers. */
export interface Poster {
	/** Always answers with a value, within the time-out. */
	post(post: Post, stopping: AbortSignal): Promise<Posted>;
	close(): Promise<void>;
}

export interface PosterOptions extends Pick<ConnectRules, "ca"> {
	readonly allowed: AllowedNetworks;
	readonly lookUp?: ConnectRules["lookUp"];
	/** Milliseconds for one attempt; the contract's unless a test says otherwise. */
	readonly withinMs?: number;
}

/** A connection is made by guardedConnect alone: no proxy, no redirect, no other dispatcher has a say. */
export function createPoster({ allowed, lookUp = systemLookUp, withinMs = POST_WITHIN_MS, ca }: PosterOptions): Poster {
	const connectWithinMs = Math.min(CONNECT_WITHIN_MS, withinMs);
	const agent = new Agent({
		connect: guardedConnect({ allowed, lookUp, withinMs: connectWithinMs, ca }),
		connections: CONNECTIONS_OF_ORIGIN,
		maxOrigins: MAX_ORIGINS,
		pipelining: 1,
		keepAliveTimeout: KEEP_IDLE_MS,
		keepAliveMaxTimeout: KEEP_IDLE_MS,
		headersTimeout: 0, // the signal ends everything
		bodyTimeout: 0,
		allowH2: false,
	});
	return {
		async post(post, stopping) {
			const begunAt = monotonicMs();
			const { controller, late, end } = limited(withinMs, stopping);
			const answer = await exchange(agent, post, controller.signal).catch((error: unknown) => ({
				outcome: { kind: "no_answer" } as const,
				error: late() ? `no answer within ${withinMs / 1_000} s` : wordsFor(error),
				excerpt: null,
			}));
			end();
			return { ...answer, durationMs: Math.round(monotonicMs() - begunAt) };
		},
		close: () => agent.destroy(),
	};
}

/** Aborts when the time is over, or when everything stops; cheaper than signals made of signals. */
function limited(withinMs: number, stopping: AbortSignal) {
	const controller = new AbortController();
	let isLate = false;
	const abort = (): void => controller.abort();
	const callOff = PROCESS_TIMERS.after(withinMs, () => {
		isLate = true;
		abort();
	});
	stopping.addEventListener("abort", abort);
	if (stopping.aborted) abort();
	const end = (): void => {
		callOff();
		stopping.removeEventListener("abort", abort);
	};
	return { controller, late: () => isLate, end };
}

async function exchange(
	agent: Agent,
	{ url, headers, body }: Post,
	signal: AbortSignal,
): Promise<Omit<Posted, "durationMs">> {
	const { origin, pathname, search } = new URL(url);
	const response = await agent.request({
		origin,
		path: pathname + search,
		method: "POST",
		headers: { ...headers, "content-type": "application/json", "user-agent": USER_AGENT, accept: "*/*" },
		body,
		signal,
	});
	const outcome = {
		kind: "answered",
		status: response.statusCode,
		retryAfterMs: readRetryAfter(one(response.headers["retry-after"]), one(response.headers.date)),
	} as const;
	return { outcome, error: null, excerpt: await readExcerpt(response.body) };
}

/** The status decides once it is there: whatever is wrong with the body after it changes nothing. */
async function readExcerpt(body: Dispatcher.ResponseData["body"]): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of body) {
			chunks.push(chunk as Buffer);
			bytes += (chunk as Buffer).length;
			if (bytes >= MAX_ANSWER_BYTES) break; // which destroys the rest, and its connection
		}
	} catch {
		// cut off: what came is what is kept
	}
	const text = Buffer.concat(chunks).toString("utf8").replaceAll("\0", "\ufffd");
	return [...text.slice(0, 2 * EXCERPT_CHARACTERS)].slice(0, EXCERPT_CHARACTERS).join("").toWellFormed();
}

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** Words for the partner: what was wrong with the connection, nothing of this side of it. */
function wordsFor(error: unknown): string {
	if (error instanceof ForbiddenAddress) return error.message;
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	return (
		WORDS[code] ??
		(/^(ERR_TLS|CERT_|DEPTH_|SELF_|UNABLE_|ERR_SSL|HOSTNAME_)/.test(code)
			? `the certificate is not accepted (${code})`
			: `no answer (${code || "connection lost"})`)
	);
}

const WORDS: { readonly [code: string]: string } = {
	ENOTFOUND: "the name of the host is not known",
	EAI_AGAIN: "the name of the host was not resolved",
	ECONNREFUSED: "the connection was refused",
	ECONNRESET: "the connection was cut",
	UND_ERR_SOCKET: "the connection was cut",
	UND_ERR_CONNECT_TIMEOUT: "no connection in time",
	EHOSTUNREACH: "the host cannot be reached",
	ENETUNREACH: "the host cannot be reached",
	UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too long",
};
