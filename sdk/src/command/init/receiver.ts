import { once as event } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../../webhooks/body.ts";
import { verifyWebhook } from "../../webhooks/verify.ts";

/** Milliseconds to wait for a test event: the service sends it within a second or two. */
const ARRIVES_WITHIN_MS = 10_000;

/** A receiver of events on this machine. */
export interface Receiver {
	readonly url: string;
	/** The secrets with which its events may be signed. */
	readonly secrets: string[];
	/** What happened to the next event, in words. */
	next(): Promise<string>;
	close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
	const secrets: string[] = [];
	const arrived = Promise.withResolvers<string>();
	const server = createServer((request, response) => {
		void readBody(request)
			.then((body) => verifyWebhook({ headers: request.headers, body }, secrets))
			.then(
				({ type }) => `arrived here as ${type}, and its signature was verified`,
				(error: Error) => `arrived here, and could not be verified: ${error.message}`,
			)
			.then((verdict) => {
				response.writeHead(204).end();
				arrived.resolve(verdict);
			});
	});
	server.listen(0, "127.0.0.1");
	await event(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		secrets,
		next: () => {
			const timer = setTimeout(() => arrived.resolve("has not arrived here yet"), ARRIVES_WITHIN_MS);
			return arrived.promise.finally(() => clearTimeout(timer));
		},
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
