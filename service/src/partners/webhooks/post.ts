import { LRUCache } from "lru-cache";
import { Agent, type buildConnector } from "undici";
import { monotonicMs } from "../../ground/lib/clock.ts";
import type { AllowedNetworks } from "./address-rules.ts";
import { exchange, MAX_ANSWER_BYTES, TooLate, TooMuch } from "./exchange.ts";
import { type ConnectRules, ForbiddenAddress, guardedConnect, NO_PUBLIC_ADDRESS } from "./guarded-connect.ts";
import { createLookUp } from "./look-up.ts";
import type { PostOutcome } from "./policy.ts";

/** Milliseconds for one attempt, from the first byte to the last (settlements, section 9). */
const POST_WITHIN_MS = 15_000;
/** Milliseconds of POST_WITHIN_MS for the connection. */
const CONNECT_WITHIN_MS = 10_000;
/** Maximum number of connections to one origin, and of origins to which one owner has open connections. */
const CONNECTIONS_OF_ORIGIN = 16;
const MAX_ORIGINS = 4;
/**
 * Maximum number of owners whose connections are kept; beyond it, those of the least recently used owner are closed
 * once idle.
 */
const MAX_OWNERS = 1_000;
/** Milliseconds that an idle connection is kept. */
const KEEP_IDLE_MS = 4_000;
const USER_AGENT = "Holdfast-Webhooks/1";

export interface Post {
	/** Owners share no connections and no limits. */
	readonly owner: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** One attempt. */
export interface Posted {
	readonly outcome: PostOutcome;
	readonly durationMs: number;
	/** In words; null: there was a response. */
	readonly error: string | null;
	/** The first characters of the response; null: there was none. */
	readonly excerpt: string | null;
}

export type AddressRead =
	| { readonly status: number; readonly text: string }
	/** Why there was no response, in words. */
	| { readonly status: null; readonly error: string };

/** Posts to partners' addresses, and reads them. */
export interface Poster {
	/** Always resolves, within the time limit. */
	post(post: Post, stopping: AbortSignal): Promise<Posted>;
	/** A GET, whose response is kept as far as it is read. Always resolves, within the time limit. */
	read(address: Pick<Post, "owner" | "url">, stopping: AbortSignal): Promise<AddressRead>;
	close(): Promise<void>;
}

export interface PosterOptions extends Pick<ConnectRules, "ca"> {
	readonly allowed: AllowedNetworks;
	readonly lookUp?: ConnectRules["lookUp"];
	/** Milliseconds for one attempt; the contract's by default. */
	readonly withinMs?: number;
}

/** Only guardedConnect opens connections: no proxy, no redirect, no other undici dispatcher. */
export function createPoster({
	allowed,
	lookUp = createLookUp(),
	withinMs = POST_WITHIN_MS,
	ca,
}: PosterOptions): Poster {
	const connectWithinMs = Math.min(CONNECT_WITHIN_MS, withinMs);
	const connect = guardedConnect({ allowed, lookUp, withinMs: connectWithinMs, ca });
	const agents = createAgents(connect);
	return {
		async post({ owner, url, headers, body }, stopping) {
			const begunAt = monotonicMs();
			const { origin, pathname, search } = new URL(url);
			const options = {
				origin,
				path: pathname + search,
				method: "POST",
				body,
				headers: {
					...headers,
					"content-type": "application/json",
					"user-agent": USER_AGENT,
					accept: "*/*",
				},
			} as const;
			const found = await exchange(agents.of(owner), options, { withinMs, stopping });
			const { outcome } = found;
			const durationMs = Math.round(monotonicMs() - begunAt);
			if (!("error" in found)) return { outcome, error: null, excerpt: found.excerpt, durationMs };
			return { outcome, error: wordsFor(found.error, withinMs), excerpt: null, durationMs };
		},
		async read({ owner, url }, stopping) {
			const { origin, pathname, search } = new URL(url);
			const options = {
				origin,
				path: pathname + search,
				method: "GET",
				headers: { "user-agent": USER_AGENT, accept: "application/json" },
			} as const;
			const found = await exchange(agents.of(owner), options, { withinMs, stopping, keep: MAX_ANSWER_BYTES });
			if ("error" in found) return { status: null, error: wordsFor(found.error, withinMs) };
			return { status: found.outcome.status, text: found.excerpt };
		},
		close: () => agents.destroy(),
	};
}

/** One agent per owner, so that owners' origins do not compete. */
function createAgents(connect: buildConnector.connector): { of(owner: string): Agent; destroy(): Promise<void> } {
	const open = (): Agent =>
		new Agent({
			connect,
			connections: CONNECTIONS_OF_ORIGIN,
			maxOrigins: MAX_ORIGINS,
			pipelining: 1,
			keepAliveTimeout: KEEP_IDLE_MS,
			keepAliveMaxTimeout: KEEP_IDLE_MS,
			headersTimeout: 0, // the exchange has its own time limit
			bodyTimeout: 0,
			allowH2: false,
		});
	const agents = new LRUCache<string, Agent>({
		max: MAX_OWNERS,
		dispose: (agent, _, why) => {
			if (why === "evict") agent.close().catch(() => undefined);
		},
	});
	return {
		of(owner) {
			const agent = agents.get(owner) ?? open();
			agents.set(owner, agent);
			return agent;
		},
		async destroy() {
			await Promise.all([...agents.values()].map((agent) => agent.destroy()));
		},
	};
}

/** Describes a connection failure to the partner, without details of our side. */
function wordsFor(error: unknown, withinMs: number): string {
	if (error instanceof TooLate) return `no answer within ${withinMs / 1_000} s`;
	if (error instanceof ForbiddenAddress) return error.message;
	if (error instanceof TooMuch) return `the answer has too many ${error.message}`;
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	return (
		WORDS[code] ??
		(/^(ERR_TLS|CERT_|DEPTH_|SELF_|UNABLE_|ERR_SSL|HOSTNAME_)/.test(code)
			? `the certificate is not accepted (${code})`
			: `no answer (${code || "connection lost"})`)
	);
}

const WORDS: { readonly [code: string]: string } = {
	ENOTFOUND: NO_PUBLIC_ADDRESS,
	EAI_AGAIN: "the name of the host was not resolved",
	ECONNREFUSED: "the connection was refused",
	ECONNRESET: "the connection was cut",
	UND_ERR_SOCKET: "the connection was cut",
	UND_ERR_CONNECT_TIMEOUT: "no connection in time",
	EHOSTUNREACH: "the host cannot be reached",
	ENETUNREACH: "the host cannot be reached",
	UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too long",
};
