import { WebhookError } from "./error.ts";
import type { WebhookEvent } from "./event.ts";
import { memorySeen, once, type SeenStore } from "./once.ts";
import type { Secrets } from "./sign.ts";
import { type VerifyOptions, verifyWebhook, type WebhookRequest } from "./verify.ts";

/** What a receiver of webhooks needs, in every framework. */
export interface WebhooksOptions extends VerifyOptions {
	/** The endpoint's `whsec_…`; several while a rotation overlaps, in an array or with blanks between them. */
	readonly secret: Secrets;
	/**
	 * Handles an event that is verified and was not handled before. The service waits 15 seconds for the answer, so
	 * longer work belongs in a queue. If it throws, the answer is 500 and the service sends the event again.
	 */
	readonly onEvent: (event: WebhookEvent) => unknown;
	/** Remembers handled events; `memorySeen()` when absent, which is enough for one process until it restarts. */
	readonly seen?: SeenStore;
}

type Answer = { readonly status: 204; readonly text: null } | { readonly status: 400; readonly text: string };

/**
 * Answers deliveries: 204 when the event is handled or was handled before, 400 when it must not be acted on. All else
 * is thrown, for the framework to log and to answer with 500: failures of `onEvent` and of the store, and mistakes of
 * the receiver. An error of `onEvent` becomes the `cause` of the thrown one, because frameworks answer with the
 * `status` of an error, and a 410 would deactivate the endpoint.
 */
export function receiver({ secret, onEvent, seen = memorySeen(), ...options }: WebhooksOptions) {
	const handleOnce = once(seen);
	return async (request: WebhookRequest): Promise<Answer> => {
		let event: WebhookEvent;
		try {
			event = await verifyWebhook(request, secret, options);
		} catch (error) {
			if (!(error instanceof WebhookError) || isOwnMistake(error)) throw error;
			return { status: 400, text: error.message };
		}
		try {
			await handleOnce(event, onEvent);
		} catch (cause) {
			throw new Error(`The event ${event.id} (${event.type}) was not handled: ${String(cause)}`, { cause });
		}
		return { status: 204, text: null };
	};
}

const isOwnMistake = ({ code }: WebhookError): boolean => code === "secret_invalid" || code === "body_not_raw";
