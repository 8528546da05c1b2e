import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { verifiedBy, wrongWith } from "./signers.ts";

/** One post as it arrived. */
export interface Arrived {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Time of arrival, by `preciseNow`. */
	readonly at: number;
}

/** Milliseconds by the process's clock, with fractions: only differences are meaningful. */
export const preciseNow = (): number => performance.now();

/** The receiver's reaction to a post that was read completely. */
export type Answers = (request: IncomingMessage, response: ServerResponse, arrived: Arrived) => void;

export interface Receiver {
	readonly url: string;
	readonly port: number;
	/** In the order of their arrival. */
	readonly arrived: Arrived[];
	answer: Answers;
	/** Posts that arrived, each verified by the independent library with the secrets that sign (see signers.ts). */
	readonly posts: number;
	/** Descriptions of the posts that were not signed as their endpoint requires. */
	readonly unverified: readonly string[];
	/** The event, verified by the independent library with this secret. @throws if it refuses */
	verify(secret: string, arrived: Arrived): unknown;
	/** @throws if a post arrived that was not signed as its endpoint requires */
	close(): Promise<void>;
}

export const ok: Answers = (_request, response) => void response.writeHead(200).end("thank you");
export const status =
	(code: number, headers: Record<string, string> = {}): Answers =>
	(_request, response) =>
		void response.writeHead(code, headers).end(`answer ${code}`);

/** A receiver of webhooks on this machine. `tls`: a certificate. */
export async function openReceiver(answer: Answers = ok, tls?: ServerOptions, host = "127.0.0.1"): Promise<Receiver> {
	const arrived: Arrived[] = [];
	const sockets = new Set<Socket>();
	const unverified: string[] = [];
	let posts = 0;
	const listener: RequestListener = (request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("error", () => undefined);
		response.on("error", () => undefined);
		request.on("end", () => {
			const one: Arrived = {
				path: request.url ?? "",
				headers: request.headers as Record<string, string>,
				body: Buffer.concat(chunks).toString("utf8"),
				at: preciseNow(),
			};
			posts++;
			const wrong = wrongWith(`${origin}${one.path}`, one);
			if (wrong !== null) unverified.push(`${one.headers["webhook-id"]} at ${one.path}: ${wrong}`);
			arrived.push(one);
			receiver.answer(request, response, one);
		});
	};
	const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		socket.on("error", () => undefined);
	});
	await new Promise<void>((resolve) => {
		server.listen(0, host, resolve);
	});
	const { port } = server.address() as AddressInfo;
	const origin = `${tls === undefined ? "http" : "https"}://${host}:${port}`;
	const receiver: Receiver = {
		url: `${origin}/hook`,
		port,
		arrived,
		answer,
		unverified,
		get posts() {
			return posts;
		},
		verify: verifiedBy,
		close: async () => {
			await new Promise<void>((resolve) => {
				for (const socket of sockets) socket.destroy();
				server.close(() => resolve());
			});
			if (unverified.length === 0) return;
			throw new Error(`${unverified.length} of ${posts} posts were not verified: ${unverified.slice(0, 5).join("; ")}`);
		},
	};
	return receiver;
}
