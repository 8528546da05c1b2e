import type { Refusal } from "../../ground/lib/refusal.ts";

/** Where a box goes. */
export interface LabelAddress {
	readonly name: string;
	readonly company: string | null;
	readonly line1: string;
	readonly line2: string | null;
	readonly city: string;
	/** Null where the country has none. */
	readonly state: string | null;
	readonly postalCode: string;
	/** ISO 3166-1 alpha-2. */
	readonly country: string;
	readonly phone: string | null;
	readonly email: string | null;
}

/** How fast a box must travel (settlements, section 6). */
export type LabelService = "standard" | "expedited" | "overnight";

/** What lies in a box, for one order and SKU. */
export interface LabelItem {
	readonly orderId: string;
	readonly sku: string;
	/** For whoever packs. */
	readonly name: string;
	/** Kits. */
	readonly qty: number;
}

/** An order as the platform is told of it. */
export interface LabelOrder {
	readonly orderId: string;
	/** The partner's own word for it: its Idempotency-Key. */
	readonly ref: string;
}

/** What is handed to a label platform: one box, which holds one order or several that were combined. */
export interface LabelBox {
	/** The first is the primary one: the platform keeps the box under its id. */
	readonly orders: readonly [LabelOrder, ...LabelOrder[]];
	/** From 1: how often the primary order was handed over after the platform had cancelled it. */
	readonly generation: number;
	readonly shipTo: LabelAddress;
	readonly service: LabelService;
	readonly items: readonly LabelItem[];
	/** The partner's note for whoever packs. */
	readonly note: string | null;
}

/**
 * What became of handing a box over. `detail` is for the operator: it may repeat the platform's words, never a
 * credential.
 */
export type PushOutcome =
	/** The platform has the box, by this push or an earlier one. */
	| { readonly outcome: "taken"; readonly platformId: string }
	/** There is nothing to hand over: the box is packed from the built-in queue. */
	| { readonly outcome: "not_needed" }
	/**
	 * The platform does not accept the address: the order goes on hold, `address_invalid`. `platformId`: it made the
	 * box all the same, and must be asked to cancel it; null: it did not.
	 */
	| { readonly outcome: "address_refused"; readonly detail: string; readonly platformId: string | null }
	/** The platform does not accept the box for another reason, and will not by asking again. */
	| { readonly outcome: "refused"; readonly detail: string }
	/** It may or may not have been done: push again, not before so many milliseconds from now. */
	| {
			readonly outcome: "later";
			readonly detail: string;
			readonly afterMs: number;
			/** It was not asked at all: the limit on requests is reached. */
			readonly crowded: boolean;
	  };

/** How far a box has come at the platform. */
export type BoxStage = "awaiting" | "on_hold" | "label_created" | "shipped" | "voided" | "cancelled";

/** A box as the platform has it now, in our words. */
export interface PlatformBox {
	readonly platformId: string;
	/** The platform's clock, RFC 3339, as it wrote it. */
	readonly modifiedAt: string;
	/** The orders whose items lie in it; empty: the box is not ours. */
	readonly orderIds: readonly string[];
	readonly stage: BoxStage;
	readonly carrierCode: string | null;
	readonly serviceCode: string | null;
	readonly trackingNumber: string | null;
	readonly trackingUrl: string | null;
	/** RFC 3339, the platform's clock, as are the next two. */
	readonly labelCreatedAt: string | null;
	readonly shippedAt: string | null;
	/** When its last label was voided, as long as it has no other: also of a box that was put on hold afterwards. */
	readonly voidedAt: string | null;
	/** Tracking numbers of its labels that were voided. */
	readonly voidedNumbers: readonly string[];
	/** Kits by order and SKU; each pair once. */
	readonly items: readonly { readonly orderId: string; readonly sku: string; readonly qty: number }[];
	/** Kits by SKU of items that name no order as this service names orders; each SKU once. */
	readonly otherItems: readonly { readonly sku: string; readonly qty: number }[];
	/** The store that sold it, as the platform names it; null: it does not say. */
	readonly store: string | null;
	/** Why it stands still there, in words for the operator. */
	readonly detail: string | null;
}

/** A box that was modified, as a list of changes tells it: enough to decide whether to look at it. */
export interface BoxHint {
	readonly platformId: string;
	readonly modifiedAt: string;
	readonly orderIds: readonly string[];
	readonly isCancelled: boolean;
	/** It has a label, or was marked as shipped without one. */
	readonly hasLabel: boolean;
}

/** Part of the changes since a moment, oldest first. */
export interface HintPage {
	readonly hints: readonly BoxHint[];
	/** Where the next page begins; null: this was the last one. */
	readonly next: HintPosition | null;
}

/** A place in the list of changes. */
export interface HintPosition {
	/** RFC 3339, the platform's clock: changes at this instant and later. */
	readonly since: string;
	/** From 1: the page among those changes. Above 1 only where more of them share one instant than a page holds. */
	readonly page: number;
}

/**
 * The platform refused, or did not answer in time; nothing was changed here (settlements, section 6). `retryAfter`: it
 * was not asked at all, because the limit on requests is reached.
 */
export interface PlatformRefusal extends Refusal<"shipstation_error"> {
	/** What the platform did, for the operator; not for partners. */
	readonly detail?: string;
}

/**
 * What the service asks of whoever prints shipping labels. Nothing here is ever awaited inside a transaction. A method
 * rejects only for a bug; whatever the platform does is a value.
 */
export interface LabelPlatform {
	readonly id: "built-in" | "shipstation";
	/**
	 * Hands a box over. A repeated push of the same order and generation changes nothing. `again`: an earlier push may
	 * have arrived.
	 */
	push(box: LabelBox, again: boolean, signal: AbortSignal): Promise<PushOutcome>;
	/** Asks that a box be not shipped; a box that is cancelled already, or never arrived, is cancelled. */
	cancel(order: PushedOrder, signal: AbortSignal): Promise<"cancelled" | PlatformRefusal>;
	/**
	 * Asks that a box stand still until a day, YYYY-MM-DD, in UTC; one that stands still does so already. `too_late`:
	 * it has a label, or is cancelled, or is not there any more.
	 */
	stop(order: PushedOrder, until: string, signal: AbortSignal): Promise<"stopped" | "too_late" | PlatformRefusal>;
	/** Lets a box go on that was asked to stand still; one that goes on does so already. */
	letGoOn(order: PushedOrder, signal: AbortSignal): Promise<"goes_on" | PlatformRefusal>;
	/**
	 * Asks to put the items of the other orders into the primary one's box; asking again for the same changes nothing.
	 */
	combine(
		primary: PushedOrder,
		others: readonly PushedOrder[],
		signal: AbortSignal,
	): Promise<"combined" | PlatformRefusal>;
	/** The box that holds an order, wherever a push of it may have arrived; null: there is none. */
	find(order: Omit<PushedOrder, "platformId">, signal: AbortSignal): Promise<string | null | PlatformRefusal>;
	/**
	 * The box that a hint is about, as the platform's own notifications name things; null: that cannot be told from it.
	 */
	boxOf(hint: string, signal: AbortSignal): Promise<string | null | PlatformRefusal>;
	/** One page of what was modified. */
	changesSince(position: HintPosition, signal: AbortSignal): Promise<HintPage | PlatformRefusal>;
	/** A box as it is now; null: there is none. `today`: the database's day in UTC, YYYY-MM-DD. */
	read(platformId: string, today: string, signal: AbortSignal): Promise<PlatformBox | null | PlatformRefusal>;
}

/** An order that the platform has taken. */
export interface PushedOrder {
	readonly orderId: string;
	readonly generation: number;
	readonly platformId: string;
}
