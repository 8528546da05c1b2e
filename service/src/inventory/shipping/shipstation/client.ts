import { Agent, type Dispatcher, request } from "undici";
import { monotonicMs, sleep } from "../../../ground/lib/clock.ts";
import { createRequestBudget, type RequestLimits, type Urgency } from "./budget.ts";

/** Milliseconds for one request, from connecting to the last byte. */
const ANSWER_WITHIN_MS: { readonly [U in Urgency]: number } = { in_background: 20_000, somebody_waits: 6_000 };
/** Milliseconds that a request waits for the rate limit. */
const TURN_WITHIN_MS: { readonly [U in Urgency]: number } = { in_background: 15_000, somebody_waits: 2_000 };
const CONNECT_WITHIN_MS = 5_000;
/** Maximum bytes of an answer, far more than a page of a hundred shipments has. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_CONNECTIONS = 4;
/** Milliseconds to pause when the platform asks for a pause: the default if it names no duration, and the maximum. */
const PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;
/** Milliseconds until a request without an answer may be repeated. */
const ASK_AGAIN_MS = 5_000;

/**
 * After this many consecutive requests without an answer, background work pauses for this many milliseconds: otherwise
 * each request would occupy a job worker until its timeout.
 */
const SILENT_TOO_OFTEN = 4;
const SILENT_PAUSE_MS = 30_000;

export interface PlatformQuestion {
	readonly method: "GET" | "POST" | "PUT";
	/** Below the platform's URL, starting with a slash; its parts are already encoded. */
	readonly path: string;
	readonly query?: { readonly [name: string]: string | number };
	readonly body?: unknown;
	readonly urgency: Urgency;
	readonly signal: AbortSignal;
}

/** An answer: the status and the JSON body (null: none or unreadable). */
export interface PlatformAnswer {
	readonly status: number;
	readonly body: unknown;
}

/** No usable answer: whether the request took effect is unknown. */
export interface NoAnswer {
	/** For the operator; contains nothing secret. */
	readonly silence: string;
	readonly afterMs: number;
	/** Not sent: the rate limit was reached, the platform wanted a pause or has not answered recently. */
	readonly crowded?: boolean;
}

export const isSilence = (answer: unknown): answer is NoAnswer =>
	typeof answer === "object" && answer !== null && "silence" in answer;

export interface ShipStationClient {
	ask(question: PlatformQuestion): Promise<PlatformAnswer | NoAnswer>;
	close(): Promise<void>;
}

export interface ShipStationSettings {
	/** Without a trailing slash. */
	readonly url: string;
	readonly apiKey: string;
	readonly limits: RequestLimits;
}

/**
 * Calls the platform within limits on time, bytes, connections and requests per minute. Follows no redirect, so the key
 * goes only to the configured address, and never includes the key in errors.
 */
export function createShipStationClient(settings: ShipStationSettings): ShipStationClient {
	const agent = new Agent({ connections: MAX_CONNECTIONS, pipelining: 1, connect: { timeout: CONNECT_WITHIN_MS } });
	const budget = createRequestBudget(monotonicMs, settings.limits);
	let silent = 0;
	const turn = async ({ urgency, signal }: PlatformQuestion): Promise<NoAnswer | null> => {
		const giveUpAt = monotonicMs() + TURN_WITHIN_MS[urgency];
		while (!signal.aborted) {
			const waitMs = budget.take(urgency);
			if (waitMs === 0) return null;
			if (monotonicMs() + waitMs > giveUpAt) {
				return { silence: "the limit on requests to the platform is reached", afterMs: waitMs, crowded: true };
			}
			await sleep(waitMs, signal);
		}
		return { silence: "the request was cancelled", afterMs: ASK_AGAIN_MS };
	};
	return {
		async ask(question) {
			const crowded = await turn(question);
			if (crowded !== null) return crowded;
			const answer = await send(agent, settings, question);
			silent = isSilence(answer) && !question.signal.aborted ? silent + 1 : 0;
			if (silent >= SILENT_TOO_OFTEN) budget.pause(SILENT_PAUSE_MS, "in_background");
			if (isSilence(answer) || answer.status !== 429) return answer;
			const afterMs = pauseOf(answer.retryAfter);
			budget.pause(afterMs);
			return { silence: "the platform answered 429, too many requests", afterMs };
		},
		close: () => agent.destroy(),
	};
}

interface Sent extends PlatformAnswer {
	readonly retryAfter: string | undefined;
}

async function send(
	dispatcher: Dispatcher,
	{ url, apiKey }: ShipStationSettings,
	{ method, path, query = {}, body, urgency, signal }: PlatformQuestion,
): Promise<Sent | NoAnswer> {
	const within = AbortSignal.timeout(ANSWER_WITHIN_MS[urgency]);
	try {
		const reply = await request(`${url}${path}`, {
			dispatcher,
			method,
			query,
			signal: AbortSignal.any([signal, within]),
			headers: {
				"api-key": apiKey,
				accept: "application/json",
				...(body === undefined ? {} : { "content-type": "application/json" }),
			},
			body: body === undefined ? null : JSON.stringify(body),
		});
		const text = await boundedText(reply.body);
		if (text === null) return { silence: `an answer of more than ${MAX_ANSWER_BYTES} bytes`, afterMs: PAUSE_MS };
		const retryAfter = reply.headers["retry-after"];
		return { status: reply.statusCode, body: parsed(text), retryAfter: [retryAfter].flat()[0] };
	} catch (error) {
		const why = within.aborted ? `no answer within ${ANSWER_WITHIN_MS[urgency]} ms` : causeOf(error);
		return { silence: why, afterMs: ASK_AGAIN_MS };
	}
}

/** Null: the body exceeds the limit; the connection is then destroyed. */
async function boundedText(body: Dispatcher.ResponseData["body"]): Promise<string | null> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += (chunk as Buffer).length;
		if (bytes > MAX_ANSWER_BYTES) {
			body.destroy();
			return null;
		}
		chunks.push(chunk as Buffer);
	}
	return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return null;
	}
}

/** The kind of a failure without its message, which a library might fill with secrets. */
function causeOf(error: unknown): string {
	const code = error instanceof Error && "code" in error ? String(error.code) : null;
	return `no answer (${code ?? (error instanceof Error ? error.name : "unknown failure")})`;
}

function pauseOf(retryAfter: string | undefined): number {
	const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : null;
	return seconds === null ? PAUSE_MS : Math.min(Math.max(seconds, 1) * 1_000, MAX_PAUSE_MS);
}
