import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { withCause } from "../failure.ts";

/** Headers of one connection (RFC 9110, section 7.6.1), and those that the next connection sets itself. */
const OWN = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i;
/** Milliseconds that the service waits for an answer (guide: webhooks). */
const WITHIN_MS = 15_000;

/** What the other receiver answered. */
export interface Forwarded {
	/** Null: nothing. */
	readonly status: number | null;
	readonly headers: readonly string[];
	readonly body: Buffer;
	readonly error: string | null;
}

/** `rawHeaders` without the headers of the connection. */
export function passedOn(rawHeaders: readonly string[]): string[] {
	return rawHeaders.filter((_, at) => !OWN.test(rawHeaders[at - (at % 2)] as string));
}

/** Sends a delivery on as it arrived: the same bytes, and its headers in their order and spelling. Never rejects. */
export function forward(to: string, rawHeaders: readonly string[], body: Uint8Array): Promise<Forwarded> {
	const { protocol, host } = new URL(to);
	const send = protocol === "https:" ? requestHttps : requestHttp;
	const headers = [...passedOn(rawHeaders), "Host", host, "Content-Length", String(body.length)];
	return new Promise((resolve) => {
		const fail = (error: Error): void =>
			resolve({ status: null, headers: [], body: Buffer.alloc(0), error: withCause(error) });
		const request = send(to, { method: "POST", headers, timeout: WITHIN_MS }, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", fail);
			response.on("end", () => {
				const { statusCode = 0, rawHeaders: answered } = response;
				resolve({ status: statusCode, headers: passedOn(answered), body: Buffer.concat(chunks), error: null });
			});
		});
		request.on("timeout", () => request.destroy(new Error(`it did not answer within ${WITHIN_MS / 1_000} s`)));
		request.on("error", fail);
		request.end(body);
	});
}
