import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Order, ServiceLevel } from "../orders/order.ts";
import type { Parcel } from "../orders/parcel.ts";

export interface LabelAddress {
	readonly name: string;
	readonly company: string | null;
	readonly line1: string;
	readonly line2: string | null;
	readonly city: string;
	/** Null if the country has none. */
	readonly state: string | null;
	readonly postalCode: string;
	/** ISO 3166-1 alpha-2. */
	readonly country: string;
	readonly phone: string | null;
	readonly email: string | null;
}

export interface LabelItem {
	readonly orderId: string;
	readonly sku: string;
	/** For the packer. */
	readonly name: string;
	readonly qty: number;
}

export type LabelOrder = Pick<Order, "orderId" | "ref">;

/** A box to push to a label platform, with one order or several combined ones. */
export interface LabelBox {
	/** The first is the primary one: the platform keeps the box under its id. */
	readonly orders: readonly [LabelOrder, ...LabelOrder[]];
	/** From 1: rises when the primary order is pushed again after the platform cancelled its box. */
	readonly generation: number;
	readonly shipTo: LabelAddress;
	/** Required delivery speed (settlements, section 6). */
	readonly service: ServiceLevel;
	readonly items: readonly LabelItem[];
	/** The partner's note for the packer. */
	readonly note: string | null;
}

/** The result of a push. `detail` is for the operator: it may quote the platform but never contains a credential. */
export type PushOutcome =
	/** The platform has the box, from this push or an earlier one. */
	| { readonly outcome: "taken"; readonly platformId: string }
	/** Nothing to push: the box is packed from the built-in queue. */
	| { readonly outcome: "not_needed" }
	/**
	 * The platform rejects the address, so the order is put on hold with `address_invalid`. `platformId`: the platform
	 * created the box anyway and must be asked to cancel it; null: it did not.
	 */
	| { readonly outcome: "address_refused"; readonly detail: string; readonly platformId: string | null }
	/** The platform rejects the box for another reason, and a retry will not help. */
	| { readonly outcome: "refused"; readonly detail: string }
	/** Unknown whether it succeeded: push again, after at least this many milliseconds. */
	| {
			readonly outcome: "later";
			readonly detail: string;
			readonly afterMs: number;
			/** No request was sent, because the request limit was reached. */
			readonly crowded: boolean;
	  };

export type BoxStage = "awaiting" | "on_hold" | "label_created" | "shipped" | "voided" | "cancelled";

/** A box in its current state on the platform, in our terms. */
export interface PlatformBox extends Parcel {
	readonly platformId: string;
	/** The platform's clock, RFC 3339, as received. */
	readonly modifiedAt: string;
	/** The orders with items in it; empty: none of ours. */
	readonly orderIds: readonly string[];
	readonly stage: BoxStage;
	readonly trackingUrl: string | null;
	/** RFC 3339, the platform's clock; the same for the next two. */
	readonly labelCreatedAt: string | null;
	readonly shippedAt: string | null;
	/** When its last label was voided, if it has no other label; set even if the box was put on hold afterwards. */
	readonly voidedAt: string | null;
	readonly voidedNumbers: readonly string[];
	/** Kits by order and SKU; each pair once. */
	readonly items: readonly { readonly orderId: string; readonly sku: string; readonly qty: number }[];
	/** Kits by SKU of items that do not name an order of this service; each SKU once. */
	readonly otherItems: readonly { readonly sku: string; readonly qty: number }[];
	/** The platform's name of the store that sold it; null: not stated. */
	readonly store: string | null;
	/** Why it is stopped on the platform, for the operator. */
	readonly detail: string | null;
}

/** A modified box in a list of changes, with enough data to decide whether to read it. */
export interface BoxHint {
	readonly platformId: string;
	readonly modifiedAt: string;
	readonly orderIds: readonly string[];
	readonly isCancelled: boolean;
	/** It has a label or was marked as shipped without one. */
	readonly hasLabel: boolean;
}

/** A page of changes, oldest first. */
export interface HintPage {
	readonly hints: readonly BoxHint[];
	/** The position of the next page; null: this was the last. */
	readonly next: HintPosition | null;
}

export interface HintPosition {
	/** RFC 3339, the platform's clock: changes at this instant and later. */
	readonly since: string;
	/** From 1. Above 1 only if more changes share one instant than fit on a page. */
	readonly page: number;
}

/**
 * The platform refused, or did not answer in time; nothing was changed in Holdfast (settlements, section 6).
 * `retryAfter`: no request was sent, because the request limit was reached.
 */
export interface PlatformRefusal extends Refusal<"shipstation_error"> {
	/** The platform's answer, for the operator only. */
	readonly detail?: string;
}

/**
 * The interface to a label platform. Its methods are never awaited inside a transaction, and reject only for a bug;
 * every behaviour of the platform is a value.
 */
export interface LabelPlatform {
	readonly id: "built-in" | "shipstation";
	/** Pushes a box; repeating an order and generation changes nothing. `again`: an earlier push may have arrived. */
	push(box: LabelBox, again: boolean, signal: AbortSignal): Promise<PushOutcome>;
	/**
	 * Cancels a box; succeeds for a box that is already cancelled or never arrived. `kits`: how many of the order must
	 * be in it, or else some may be in another box, which would still be shipped; absent: any number.
	 */
	cancel(order: PushedOrder, signal: AbortSignal, kits?: number): Promise<"cancelled" | PlatformRefusal>;
	/** Stops a box until a day (YYYY-MM-DD, UTC); repeatable. `too_late`: it is labelled, cancelled or gone. */
	stop(order: PushedOrder, until: string, signal: AbortSignal): Promise<"stopped" | "too_late" | PlatformRefusal>;
	/** Releases a stopped box; succeeds if it is not stopped. */
	letGoOn(order: PushedOrder, signal: AbortSignal): Promise<"goes_on" | PlatformRefusal>;
	/** Moves the items of the other orders into the primary order's box; repeating it changes nothing. */
	combine(
		primary: PushedOrder,
		others: readonly PushedOrder[],
		signal: AbortSignal,
	): Promise<"combined" | PlatformRefusal>;
	/** The box of an order if any push of it arrived; null: none. */
	find(order: Omit<PushedOrder, "platformId">, signal: AbortSignal): Promise<string | null | PlatformRefusal>;
	/** The box that a hint refers to; null: the hint does not identify one. */
	boxOf(hint: string, signal: AbortSignal): Promise<string | null | PlatformRefusal>;
	changesSince(position: HintPosition, signal: AbortSignal): Promise<HintPage | PlatformRefusal>;
	/** A box in its current state; null: it does not exist. `today`: the database's current day in UTC, YYYY-MM-DD. */
	read(platformId: string, today: string, signal: AbortSignal): Promise<PlatformBox | null | PlatformRefusal>;
}

/** An order whose box the platform has. */
export interface PushedOrder {
	readonly orderId: string;
	readonly generation: number;
	readonly platformId: string;
}
