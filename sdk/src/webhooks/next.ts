import { receiver, type WebhooksOptions } from "./receive.ts";
import type { WebRequest } from "./verify.ts";

/**
 * A route handler that receives webhooks, in `app/webhooks/holdfast/route.ts`:
 * `export const POST = webhooks({ secret, onEvent })`. Failures are thrown, and Next.js answers them with 500.
 */
export function webhooks(options: WebhooksOptions) {
	const receive = receiver(options);
	return async (request: WebRequest): Promise<Response> => {
		const { status, text } = await receive(request);
		return new Response(text, { status });
	};
}
