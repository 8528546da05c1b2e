import { MAX_BODY_BYTES, type RawBody } from "./body.ts";
import { receiver, type WebhooksOptions } from "./receive.ts";

interface FastifyRequest {
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: unknown;
}
interface FastifyReply {
	code(status: number): FastifyReply;
	send(text?: string): FastifyReply;
}

/** What is used of the instance of Fastify that a plugin gets. */
export interface FastifyScope {
	removeAllContentTypeParsers(): void;
	addContentTypeParser(
		type: string,
		options: { parseAs: "buffer"; bodyLimit: number },
		parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
	): unknown;
	post(url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

export interface FastifyWebhooksOptions extends WebhooksOptions {
	/** The path of the endpoint, after the `prefix` of `register` if there is one. */
	readonly url: string;
}

/**
 * A plugin that receives webhooks: `app.register(webhooks, { url: "/webhooks/holdfast", secret, onEvent })`. It reads
 * the bodies of its own route as bytes; other routes keep their parsers. Failures go to Fastify's error handler.
 */
export async function webhooks(app: FastifyScope, { url, ...options }: FastifyWebhooksOptions): Promise<void> {
	const receive = receiver(options);
	app.removeAllContentTypeParsers();
	app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
		done(null, body),
	);
	app.post(url, async ({ headers, body }, reply) => {
		const { status, text } = await receive({ headers, body: (body ?? "") as RawBody });
		return reply.code(status).send(text ?? undefined);
	});
}
