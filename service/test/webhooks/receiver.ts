import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Webhook } from "standardwebhooks";

/** One post as it arrived. */
export interface Arrived {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Of this process, milliseconds since 1970. */
	readonly at: number;
}

/** What a receiver does with a post; it has been read whole. */
export type Answers = (request: IncomingMessage, response: ServerResponse, arrived: Arrived) => void;

export interface Receiver {
	readonly url: string;
	readonly port: number;
	/** In the order of their arrival. */
	readonly arrived: Arrived[];
	answer: Answers;
	/** Verified by the independent library; throws when it refuses. */
	verify(secret: string, arrived: Arrived): unknown;
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
				at: Date.now(),
			};
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
	const receiver: Receiver = {
		url: `${tls === undefined ? "http" : "https"}://${host}:${port}/hook`,
		port,
		arrived,
		answer,
		verify: (secret, { body, headers }) => new Webhook(secret).verify(body, headers as Record<string, string>),
		close: () =>
			new Promise((resolve) => {
				for (const socket of sockets) socket.destroy();
				server.close(() => resolve());
			}),
	};
	return receiver;
}
