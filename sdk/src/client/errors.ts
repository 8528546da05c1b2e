import type { Code, KnownCode } from "./types.ts";

export interface ErrorFacts {
	readonly code: Code;
	readonly message: string;
	/** The HTTP status; 0 if no answer arrived. */
	readonly status: number;
	readonly requestId: string | null;
	/** Members of the error beside `code` and `message`. */
	readonly details: Readonly<Record<string, unknown>>;
	readonly help: string | null;
	readonly cause?: unknown;
}

/** A request that was not carried out, with the reason as `code`. Its subclasses say what may be done about it. */
export class HoldfastError extends Error {
	override readonly name: string = "HoldfastError";
	/** Match on it; never on the message. */
	readonly code!: Code;
	/** The HTTP status; 0 if no answer arrived. */
	readonly status!: number;
	/** Names the request: quote it when you ask for help. */
	readonly requestId!: string | null;
	/** What the error says beside its code and message. */
	readonly details!: Readonly<Record<string, unknown>>;
	/** The address of the page that explains the code. */
	readonly help!: string | null;
	/**
	 * Set by `withHold`: nothing was sold under the reference, and the hold was given back. Refund what was charged
	 * under it. Otherwise the cart may have been sold, or repeating the call may still sell it.
	 */
	readonly isUnsold: boolean = false;

	constructor({ message, cause, ...facts }: ErrorFacts) {
		super(message, cause === undefined ? undefined : { cause });
		Object.assign(this, facts);
	}
}

/** A refusal of the SDK's own, without a request. */
export function ownRefusal(code: KnownCode, message: string): HoldfastError {
	return new HoldfastError({ code, message, status: 0, requestId: null, details: {}, help: null });
}

/** 429, after every retry: nothing was done. */
export class RateLimited extends HoldfastError {
	override readonly name = "RateLimited";
	/** Milliseconds after which the service may be asked again. */
	readonly retryAfterMs: number;

	constructor(facts: ErrorFacts, retryAfterMs: number) {
		super(facts);
		this.retryAfterMs = retryAfterMs;
	}
}

/**
 * 401: the key is refused. Stop showing stock and alert a person; it never means a count of zero. 403: the key may not
 * do this; `brand_mismatch`, `order_forbidden` and `reservation_forbidden` say nothing about other requests.
 */
export class Unauthorized extends HoldfastError {
	override readonly name = "Unauthorized";
}

/**
 * A command whose last answer was lost, or was 500: it was done completely or not at all. Look up `reference`, or
 * repeat the call with it, before you do anything else about the sale.
 */
export class OutcomeUnknown extends HoldfastError {
	override readonly name = "OutcomeUnknown";
	/** The operation, as the SDK names it: `orders.place`. */
	readonly operation: string;
	/** The reference to look up: the `externalRef`, the order's key, the hold's token or the endpoint; null: none. */
	readonly reference: string | null;

	constructor(facts: ErrorFacts, operation: string, reference: string | null) {
		super(facts);
		this.operation = operation;
		this.reference = reference;
	}
}

/**
 * Thrown by a callback of `withHold` that does not know whether the customer was charged: the hold is kept until its
 * end, and the same call with the same `externalRef` continues.
 */
export class ChargeUnknown extends Error {
	override readonly name = "ChargeUnknown";

	constructor(message = "It is not known whether the customer was charged.", options?: ErrorOptions) {
		super(message, options);
	}
}
