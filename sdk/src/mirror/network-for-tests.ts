import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, HostileService } from "./service-for-tests.ts";

/** Names a request, so that whoever sent it can be told that it will not be answered. */
export const REQUEST_ID = "x-test-request";

/** How requests reach the service. */
export interface Network {
	readonly url: string;
	fetch: (url: string, init: RequestInit) => Promise<Response>;
	/** Called when the service stays silent on a request, and when that silence ends because the service goes down. */
	onSilence: (id: string) => void;
	onEndOfSilence: (id: string) => void;
	down(): void;
	up(): void;
	close(): Promise<void>;
}

/** A server on a real socket. While it is down, it drops every connection but keeps its port. */
export async function openSockets(service: HostileService): Promise<Network> {
	let isUp = true;
	const silent = new Map<ServerResponse, string>();
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://service");
		const etag = request.headers["if-none-match"];
		request.resume().on("end", () => {
			const answer = service.answer({ path: pathname, query: searchParams, etag });
			if (answer.kind !== "silence") return write(response, answer);
			const id = String(request.headers[REQUEST_ID]);
			silent.set(response, id);
			response.on("close", () => silent.delete(response));
			network.onSilence(id);
		});
	});
	server.on("connection", (socket) => isUp || socket.destroy());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const network: Network = {
		url: `http://127.0.0.1:${port}`,
		fetch: (...request) => fetch(...request),
		onSilence: () => undefined,
		onEndOfSilence: () => undefined,
		down() {
			for (const id of silent.values()) network.onEndOfSilence(id);
			isUp = false;
			server.closeAllConnections();
		},
		up() {
			isUp = true;
		},
		async close() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
	return network;
}

function write(response: ServerResponse, { kind, status, headers, body }: Answer): void {
	if (kind === "reset") return void response.destroy();
	response.writeHead(status, { ...headers, ...(body !== "" && { "Content-Length": Buffer.byteLength(body) }) });
	if (kind === "whole") return void response.end(body);
	response.write(body.slice(0, body.length / 2), () => response.destroy());
}

/** The same without sockets, for many short runs. */
export function openMemory(service: HostileService): Network {
	let isUp = true;
	const silent = new Map<string, () => void>();
	const network: Network = {
		url: "http://service",
		async fetch(url, init) {
			const { pathname, searchParams } = new URL(url);
			const given = new Headers(init.headers);
			if (!isUp) throw new TypeError("fetch failed");
			const answer = service.answer({
				path: pathname,
				query: searchParams,
				etag: given.get("if-none-match") ?? undefined,
			});
			if (answer.kind === "silence") {
				const id = given.get(REQUEST_ID) ?? "";
				network.onSilence(id);
				return await new Promise((_resolve, reject) => {
					silent.set(id, () => reject(new TypeError("fetch failed")));
					init.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
				});
			}
			if (answer.kind === "reset") throw new TypeError("fetch failed");
			return responseOf(answer);
		},
		onSilence: () => undefined,
		onEndOfSilence: () => undefined,
		down() {
			isUp = false;
			for (const [id, reset] of silent) {
				network.onEndOfSilence(id);
				reset();
			}
			silent.clear();
		},
		up() {
			isUp = true;
		},
		close: () => Promise.resolve(),
	};
	return network;
}

function responseOf({ kind, status, headers, body }: Answer): Response {
	if (kind === "whole") return new Response(body === "" ? null : body, { status, headers });
	const half = new TextEncoder().encode(body.slice(0, body.length / 2));
	let pulls = 0;
	const stream = new ReadableStream({
		pull: (controller) => (pulls++ === 0 ? controller.enqueue(half) : controller.error(new TypeError("terminated"))),
	});
	return new Response(stream, { status, headers });
}
