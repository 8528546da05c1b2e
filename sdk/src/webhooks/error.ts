/** Why a delivery was refused. `secret_invalid` and `body_not_raw` are mistakes of the receiver. */
export type WebhookErrorCode =
	| "secret_invalid"
	| "body_not_raw"
	| "header_missing"
	| "timestamp_invalid"
	| "timestamp_out_of_tolerance"
	| "body_too_large"
	| "signature_mismatch"
	| "body_invalid";

/** A delivery that must not be acted on. The message says what to do, and contains no secret. */
export class WebhookError extends Error {
	override readonly name = "WebhookError";
	readonly code: WebhookErrorCode;

	constructor(code: WebhookErrorCode, message: string) {
		super(message);
		this.code = code;
	}
}
