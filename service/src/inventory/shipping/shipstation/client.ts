import { Agent, type Dispatcher, request } from "undici";
import { monotonicMs, sleep } from "../../../ground/lib/clock.ts";
import { createRequestBudget, type RequestLimits, type Urgency } from "./budget.ts";

/** Milliseconds that one request may take, from connecting to the last byte. */
const ANSWER_WITHIN_MS: { readonly [U in Urgency]: number } = { in_background: 20_000, somebody_waits: 6_000 };
/** Milliseconds that a request waits for its turn within the budget. */
const TURN_WITHIN_MS: { readonly [U in Urgency]: number } = { in_background: 15_000, somebody_waits: 2_000 };
/** Milliseconds that a connection may take to be made. */
const CONNECT_WITHIN_MS = 5_000;
/** Bytes of an answer: far above a page of a hundred shipments. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Connections to the platform. */
const MAX_CONNECTIONS = 4;
/** Milliseconds to leave the platform alone when it asks for it and does not say how long, and at most. */
const PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;
/** Milliseconds after which a question that got no answer may be asked again. */
const ASK_AGAIN_MS = 5_000;

/**
 * A platform that gave no answer so many times in a row is left alone by the work in the background for so many
 * milliseconds: each question would keep a place among the jobs until its limit.
 */
const SILENT_TOO_OFTEN = 4;
const SILENT_PAUSE_MS = 30_000;

export interface PlatformQuestion {
	readonly method: "GET" | "POST" | "PUT";
	/** Below the platform's address, beginning with a slash; its parts are encoded already. */
	readonly path: string;
	readonly query?: { readonly [name: string]: string | number };
	readonly body?: unknown;
	readonly urgency: Urgency;
	readonly signal: AbortSignal;
}

/** The platform answered: a status, and the JSON of its body (null: none, or none that can be read). */
export interface PlatformAnswer {
	readonly status: number;
	readonly body: unknown;
}

/** No answer that can be used: whether anything was done there is not known. */
export interface NoAnswer {
	/** In words for the operator, without anything secret. */
	readonly silence: string;
	/** Milliseconds after which it makes sense to ask again. */
	readonly afterMs: number;
	/**
	 * It was not asked: the limit on requests is reached, or it asked to be left alone, or it has not answered for a
	 * while.
	 */
	readonly crowded?: boolean;
}

export const isSilence = (answer: unknown): answer is NoAnswer =>
	typeof answer === "object" && answer !== null && "silence" in answer;

export interface ShipStationClient {
	ask(question: PlatformQuestion): Promise<PlatformAnswer | NoAnswer>;
	close(): Promise<void>;
}

export interface ShipStationSettings {
	/** The platform's address, without a slash at the end. */
	readonly url: string;
	readonly apiKey: string;
	readonly limits: RequestLimits;
}

/**
 * Talks to the platform: bounded in time, bytes, connections and requests a minute; follows no redirect, so the key
 * goes to the configured address and nowhere else; never tells the key to anybody else, errors included.
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
		return { silence: "the question was called off", afterMs: ASK_AGAIN_MS };
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

/** Null: it is longer than an answer may be; the connection is destroyed then. */
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

/** The kind of a failure. Its message is left out: nobody can promise what a library puts into one. */
function causeOf(error: unknown): string {
	const code = error instanceof Error && "code" in error ? String(error.code) : null;
	return `no answer (${code ?? (error instanceof Error ? error.name : "unknown failure")})`;
}

function pauseOf(retryAfter: string | undefined): number {
	const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : null;
	return seconds === null ? PAUSE_MS : Math.min(Math.max(seconds, 1) * 1_000, MAX_PAUSE_MS);
}
