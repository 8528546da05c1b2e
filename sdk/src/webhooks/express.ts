import type { RawBody } from "./body.ts";
import { receiver, type WebhooksOptions } from "./receive.ts";

/** What is used of a request of Express, which is one of `node:http`. */
export interface ExpressRequest extends AsyncIterable<Uint8Array> {
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly readableDidRead: boolean;
	/** Set by a parser before this handler. */
	readonly body?: unknown;
}

/** What is used of a response of Express. */
export interface ExpressResponse {
	statusCode: number;
	end(text?: string): unknown;
}

/**
 * A handler that receives webhooks: `app.post("/webhooks/holdfast", webhooks({ secret, onEvent }))`. It reads the body
 * itself, or takes that of `express.raw()` or `express.text()`. Put it before `express.json()`, which leaves no bytes.
 * Failures go to `next`.
 */
export function webhooks(options: WebhooksOptions) {
	const receive = receiver(options);
	return async (request: ExpressRequest, response: ExpressResponse, next: (error: unknown) => void): Promise<void> => {
		try {
			// a parser may set an empty body without having read anything
			const body = (request.readableDidRead ? request.body : request) as RawBody;
			const { status, text } = await receive({ headers: request.headers, body });
			response.statusCode = status;
			response.end(text ?? "");
		} catch (error) {
			next(withStackOfCause(error));
		}
	};
}

/** Express logs the stack of an error, but not its cause. */
function withStackOfCause(error: unknown): unknown {
	if (error instanceof Error && error.cause instanceof Error) error.stack += `\nCaused by: ${error.cause.stack}`;
	return error;
}
