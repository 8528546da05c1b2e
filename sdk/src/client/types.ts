import type * as coa from "../wire/__generated__/coa.ts";
import type { CODES } from "../wire/__generated__/codes.ts";
import type * as api from "../wire/__generated__/partner.ts";
import type { UnknownWord } from "../wire/given.ts";
import type { Counted } from "./count.ts";

/** The clock on which the SDK waits. Tests give their own. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves after `ms` milliseconds of this clock. */
	sleep(ms: number): Promise<void>;
}

/**
 * The SDK's own codes. `connection_lost`: no answer of the service arrived, or only a part of one. `reference_used`:
 * the `externalRef` of `withHold` names another sale.
 */
export type OwnCode = "connection_lost" | "reference_used";

/** The codes that the contract has on the SDK's API date, and those of the SDK itself. */
export type KnownCode = (typeof CODES)[number] | OwnCode;

/** A code that was added later: no literal equals it, so a `switch` over codes needs a `default`. */
export type UnknownCode = UnknownWord;

/** Why a request was refused. Match on it; never on the message. */
export type Code = KnownCode | UnknownCode;

/** Warnings of a replayed hold or a list (contract: holds, section "Repeating a request"). */
export type Warning = "items_differ" | "ttl_differs" | "impaired" | "tombstones_hidden" | UnknownWord;

/** How many requests the key may make. */
export interface RateLimit {
	/** Requests in any `windowMs`. */
	readonly limit: number;
	readonly windowMs: number;
	/** Requests left after this one. */
	readonly left: number;
	/** Milliseconds until the oldest request leaves the window. */
	readonly resetMs: number;
}

/** One line of a check or a reserve: `qty` is 1 to 10,000 kits. */
export type Line = api.RequestLine;

export type HeldItem = api.HeldItem;

/** Units that are set aside for this key. Only a hold that is not `impaired` may be charged for. */
export interface Hold {
	/** Identifies the hold: the `reservation_token` of the contract. */
	readonly token: string;
	/** When it ends, by the service's clock. At that instant its units are free for everybody. */
	readonly expiresAt: Date;
	/** The reference under which it was reserved, which the SDK made if the caller gave none. */
	readonly externalRef: string;
	readonly items: readonly HeldItem[];
	/** Whether it was made by an earlier reserve under the same reference. */
	readonly replayed: boolean;
	readonly warnings: readonly Warning[];
	/** Whether some of its kits are no longer whole, because of a recall or an expiry date: do not charge for them. */
	readonly impaired: boolean;
}

/** A hold as it is now, read back: nothing is held or changed by reading it. */
export type HoldRecord = Omit<api.HoldReadBack, "reservationToken"> & { readonly token: string };

export type Released = api.Released;
export type Consumed = api.Consumed;
export type Returned = api.Returned;
export interface Availability extends Counted<api.AvailabilityItem> {}
export interface Product extends Counted<api.Product> {}
export interface InventoryPosition extends Counted<api.InventoryPosition> {}
export interface FormulaSummary extends Counted<api.FormulaSummary> {}
export type Receipt = api.Receipt;
export type Order = api.Order;
export type Customer = api.Customer;
export type Shipment = api.Shipment;
export type PrepaidMirror = api.ReserveCache;
export type Introspection = api.Introspection;
export type ApiVersion = api.ApiVersion;
export type Certificate = coa.Coa;
export type LotLookup = coa.LotLookup;
export type WebhookEndpoint = api.WebhookEndpoint;
export type WebhookEndpointWithSecret = api.WebhookEndpointWithSecret;
export type WebhookDelivery = api.WebhookDelivery;
export type SandboxRequest = api.SandboxRequest;
export type ExpiredHold = api.ExpiredHold;

/** What an order needs beside its hold. `ship_to` of the contract is `shipTo`. */
export type OrderDetails = Omit<api.OrderRequest, "reservationToken">;

/** One SKU as the partner's site shows it; `shownQty: null` when no number is shown. */
export type ShownItem = api.ShownItem;
export type KeptShown = api.KeptShown;
/** A go-live run of this sandbox key, with its checks. */
export type GoLive = api.GoLive;
export type GoLiveCheck = api.GoLiveCheck;
/** A go-live run whose drill, messages or unkind hour were started. */
export type StartedDrill = api.StartedDrill;
/** What `sandbox.drill` starts. */
export type Drill = NonNullable<api.StartDrillRequest["what"]>;

/** The argument of `onRequest`, after each attempt. It contains no secret. */
export interface RequestReport {
	/** As the SDK names it: `orders.place`. */
	readonly operation: string;
	readonly method: string;
	readonly url: string;
	/** 1 for the first attempt of a request. */
	readonly attempt: number;
	/** 0 if no answer arrived. */
	readonly status: number;
	/** Null if it was not refused. */
	readonly code: Code | null;
	readonly requestId: string | null;
	/** Milliseconds from the sending of the request to the end of its answer. */
	readonly ms: number;
}
