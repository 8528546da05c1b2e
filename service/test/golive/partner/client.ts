import { setTimeout as sleep } from "node:timers/promises";
import type { Wrong } from "./wrong.ts";

export interface Ask {
	readonly method: "GET" | "POST";
	/** Path and query, or a whole address. */
	readonly url: string;
	readonly body?: object;
	readonly idempotencyKey?: string;
	/** Whether the caller itself deals with a 429, once its Retry-After has passed. */
	readonly own429?: boolean;
}

export interface Reply {
	readonly status: number;
	readonly code: string | null;
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly data: any;
	readonly retryAfterMs: number;
}

/** The partner's only way to the service, for all of its parts. */
export interface Client {
	/** One request, repeated as its reply allows; the last reply. */
	ask(ask: Ask): Promise<Reply>;
	/** One request, sent once. */
	send(ask: Ask): Promise<Reply>;
	/** Whether the key was refused, and nothing that it asked for was answered since. */
	refused(): boolean;
	/** Takes another key. */
	useKey(token: string): void;
}

const MINUTE_MS = 60_000;
/** Requests that it allows itself in 60 s: a few less than the key may send. */
const BUDGET = 50;
/** Milliseconds that it adds to every Retry-After. */
const MARGIN_MS = 250;
/** Milliseconds without a request after a key was refused. */
const AFTER_401_MS = 20_000;
/** Milliseconds for one reply. */
const REPLY_WITHIN_MS = 60_000;
/**
 * Maximum number of attempts at one request that is answered `retry`, 500, or not at all; and at one that is answered
 * 429.
 */
const TRIES = 4;
const TRIES_429 = 10;
const SECOND_MS = 1_000;

export function createClient(base: string, key: string, wrong: Wrong | null): Client {
	let token = key;
	let turn: Promise<unknown> = Promise.resolve();
	let notBefore = 0;
	let isRefused = false;
	const sent: number[] = [];

	const untilAllowed = async (): Promise<void> => {
		for (;;) {
			const now = performance.now();
			while (sent.length > 0 && (sent[0] as number) <= now - MINUTE_MS) sent.shift();
			const isFull = sent.length >= BUDGET && wrong !== "polls-too-fast";
			const free = isFull ? (sent[0] as number) + MINUTE_MS : now;
			const wait = Math.max(notBefore, free) - now;
			if (wait <= 0) return;
			await sleep(wait);
		}
	};

	const once = async (ask: Ask): Promise<Reply> => {
		await untilAllowed();
		sent.push(performance.now());
		const reply = await exchange(base, token, ask);
		if (reply.status === 429 && wrong !== "ignores-retry-after") {
			notBefore = performance.now() + reply.retryAfterMs + MARGIN_MS;
		}
		if (reply.status === 401 || reply.status === 403) {
			isRefused = true;
			notBefore = performance.now() + AFTER_401_MS;
		} else if (reply.status < 300 && reply.status > 0 && !ask.url.startsWith("/api/v1/sandbox/")) isRefused = false;
		return reply;
	};

	/** One request at a time, over all parts of the partner. */
	const send = (ask: Ask): Promise<Reply> => {
		const reply = turn.then(() => once(ask));
		turn = reply.catch(() => undefined);
		return reply;
	};

	return {
		send,
		async ask(ask) {
			let reply = await send(ask);
			for (let tries = 1, limited = 1; ; ) {
				if (reply.status === 429) {
					if (ask.own429 === true || limited++ >= TRIES_429) return reply;
				} else if (isToRepeat(reply)) {
					if (tries++ >= TRIES) return reply;
					await sleep(reply.retryAfterMs + MARGIN_MS);
				} else return reply;
				reply = await send(ask);
			}
		},
		refused: () => isRefused,
		useKey: (other) => {
			token = other;
		},
	};
}

/** Nothing was done, or it is not known whether it was. */
const isToRepeat = ({ status, code }: Reply): boolean =>
	status === 0 || status >= 500 || code === "retry" || code === "hold_race";

async function exchange(base: string, token: string, { method, url, body, idempotencyKey }: Ask): Promise<Reply> {
	try {
		const response = await fetch(new URL(url, base), {
			method,
			headers: {
				authorization: `Bearer ${token}`,
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(REPLY_WITHIN_MS),
		});
		const json = (await response.json()) as { data?: unknown; error?: { code: string } };
		return {
			status: response.status,
			code: json.error?.code ?? null,
			data: json.data ?? null,
			retryAfterMs: Number(response.headers.get("retry-after") ?? 1) * SECOND_MS,
		};
	} catch (error) {
		console.error(`${method} ${url}: ${String((error as { cause?: unknown }).cause ?? error)}`);
		return { status: 0, code: null, data: null, retryAfterMs: SECOND_MS };
	}
}
