import { receiver, type WebhooksOptions } from "./receive.ts";
import type { WebRequest } from "./verify.ts";

/** What is used of a context of Hono. */
export interface HonoContext {
	readonly req: { readonly raw: WebRequest; arrayBuffer(): Promise<ArrayBuffer> };
}

/**
 * A handler that receives webhooks: `app.post("/webhooks/holdfast", webhooks({ secret, onEvent }))`. Failures go to
 * `app.onError`.
 */
export function webhooks(options: WebhooksOptions) {
	const receive = receiver(options);
	return async ({ req }: HonoContext): Promise<Response> => {
		const { raw } = req;
		// Hono keeps what a middleware before this one has read
		const { status, text } = await receive(
			raw.bodyUsed ? { headers: raw.headers, body: await req.arrayBuffer() } : raw,
		);
		return new Response(text, { status });
	};
}
