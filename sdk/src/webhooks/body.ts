import { WebhookError } from "./error.ts";

/** Maximum bytes of a body; the largest event has a fraction of it. */
export const MAX_BODY_BYTES = 1_048_576;

/** A body as it arrived: text, bytes, or a stream of bytes such as the request of `node:http`. */
export type RawBody = string | Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>;

/** The bytes of a body. @throws WebhookError `body_not_raw`, `body_too_large` */
export async function readBody(body: unknown): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of chunksOf(body)) {
		length += chunk.length;
		refuseOver(length);
		chunks.push(chunk);
	}
	return concat(chunks);
}

/** @throws WebhookError `body_too_large` */
export function refuseOver(bytes: number): void {
	if (bytes > MAX_BODY_BYTES) {
		throw new WebhookError("body_too_large", `The body exceeds ${MAX_BODY_BYTES} bytes.`);
	}
}

function chunksOf(body: unknown): AsyncIterable<Uint8Array> | Uint8Array[] {
	if (typeof body === "string") return [new TextEncoder().encode(body)];
	if (body === null) return [];
	if (ArrayBuffer.isView(body)) return [new Uint8Array(body.buffer, body.byteOffset, body.byteLength)];
	// `instanceof` is false for a buffer of another realm
	if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return [new Uint8Array(body as ArrayBuffer)];
	if (typeof body === "object" && Symbol.asyncIterator in body) return body as AsyncIterable<Uint8Array>;
	throw notRaw();
}

export const notRaw = (): WebhookError =>
	new WebhookError(
		"body_not_raw",
		'The body was read or parsed before it was verified. Express: express.raw({ type: "application/json" }) before express.json(). Fastify: a parser with parseAs: "buffer". Hono: c.req.arrayBuffer(). Next.js: request.text(). Or use @holdfast/partner/webhooks/express, /fastify, /hono or /next.',
	);

export function concat(chunks: readonly Uint8Array[]): Uint8Array {
	const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
	let at = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, at);
		at += chunk.length;
	}
	return bytes;
}
