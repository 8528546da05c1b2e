/** A mistake of a partner's program that does not compile, beside the program that was meant. */
export interface Pair {
	readonly mistake: string;
	/** The number of the one error that the compiler reports: 2339 for TS2339. */
	readonly error: number;
	readonly wrong: string;
	readonly right: string;
}

/** The beginning of every program. */
export const PRELUDE = `
import {
	ChargeUnknown, type Code, type Count, type Customer, type GoLive, Holdfast, HoldfastError, isKnown, type Order,
	OutcomeUnknown, RateLimited, shown, Unauthorized,
} from "@holdfast/partner";
import { memorySeen, once, verifyWebhook, type WebhookEvent } from "@holdfast/partner/webhooks";

declare const holdfast: Holdfast;
declare const count: Count;
declare const error: unknown;
declare const event: WebhookEvent;
declare const customer: Customer;
declare const cart: { externalRef: string; items: { sku: string; qty: number }[] };
declare function pay(externalRef: string): Promise<boolean>;
`;
