import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../contract/random.ts";
import { answerOf } from "./api.ts";
import { PlatformWorld } from "./world.ts";

/** The failures of the platform; each number is a share of the requests. */
export interface Faults {
	/** The requests that fail, such as `PUT /v2/shipments/se-1/cancel`; by default all. */
	only?: RegExp;
	/** Answered 500, with nothing done. */
	errors?: number;
	/** The connection is cut before anything is done. */
	cutBefore?: number;
	/** The request is carried out, and the connection is cut instead of an answer. */
	cutAfter?: number;
	/** The request is carried out, but answered 500. */
	errorsAfter?: number;
	/** Milliseconds before an answer. */
	slowMs?: number;
	/** Maximum number of requests in a window; further ones are answered 429. */
	limit?: { requests: number; windowMs: number };
}

/** One request as it arrived. */
export interface SeenRequest {
	readonly method: string;
	readonly path: string;
	readonly apiKey: string | undefined;
	readonly status: number | "cut";
}

/**
 * A simulated server with the published API. Where the vendor's documents are silent, the behaviour of the real server
 * is unknown: it was not tried.
 */
export interface PlatformServer {
	readonly url: string;
	readonly world: PlatformWorld;
	readonly seen: SeenRequest[];
	/** May be changed while the server runs. */
	faults: Faults;
	close(): Promise<void>;
}

export const API_KEY = "test-key-7b1f0c-8d24e9";

export async function openPlatform(seed = 1): Promise<PlatformServer> {
	const world = new PlatformWorld();
	const random = seeded(seed);
	const seen: SeenRequest[] = [];
	let times: number[] = [];
	const overLimit = ({ requests, windowMs }: { requests: number; windowMs: number }): number => {
		const now = performance.now();
		times = times.filter((at) => now - at < windowMs);
		if (times.length >= requests) return Math.ceil((windowMs - (now - (times[0] ?? now))) / 1_000);
		times.push(now);
		return 0;
	};
	const platform: PlatformServer = { url: "", world, seen, faults: {}, close: () => close() };
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const body = await bodyOf(request);
		const what = `${request.method} ${request.url}`;
		const faults = platform.faults.only?.test(what) === false ? {} : platform.faults;
		const apiKey = request.headers["api-key"] as string | undefined;
		const note = (status: number | "cut"): void => {
			seen.push({ method: request.method ?? "", path: request.url ?? "", apiKey, status });
		};
		const cut = (): void => {
			note("cut");
			request.socket.destroy();
		};
		const send = (status: number, reply: unknown, headers: Record<string, string> = {}): void => {
			note(status);
			response.writeHead(status, { "content-type": "application/json", ...headers });
			response.end(status === 204 ? undefined : JSON.stringify(reply));
		};
		if (apiKey !== API_KEY) return send(401, envelope("unauthorized", "The API key is not valid."));
		const wait = faults.limit === undefined ? 0 : overLimit(faults.limit);
		if (wait > 0) return send(429, envelope("rate_limit_exceeded", "Too many."), { "retry-after": String(wait) });
		if (faults.slowMs !== undefined) await sleep(faults.slowMs);
		const dice = random();
		const { errors = 0, cutBefore = 0, cutAfter = 0, errorsAfter = 0 } = faults;
		if (dice < errors) return send(500, envelope("unspecified", "Something went wrong."));
		if (dice < errors + cutBefore) return cut();
		const { status, reply } = answerOf(world, request.method ?? "", new URL(request.url ?? "", "http://x"), body);
		if (dice < errors + cutBefore + cutAfter) return cut();
		if (dice < errors + cutBefore + cutAfter + errorsAfter) return send(500, envelope("unspecified", "Late trouble."));
		send(status, reply);
	};
	const server = createServer((request, response) => {
		answer(request, response).catch(() => request.socket.destroy());
	});
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const close = async (): Promise<void> => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	return Object.assign(platform, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const envelope = (error_code: string, message: string): object => ({
	request_id: "00000000-0000-0000-0000-000000000000",
	errors: [{ error_source: "ShipStation", error_type: "system", error_code, message }],
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const text = Buffer.concat(chunks).toString("utf8");
	return text === "" ? null : (JSON.parse(text) as unknown);
}
