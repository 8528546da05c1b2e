import type * as coa from "../wire/__generated__/coa.ts";
import type * as api from "../wire/__generated__/partner.ts";
import type { GivenTime } from "../wire/given.ts";
import type * as t from "./types.ts";

/** Settings of one request. */
export interface RequestOptions {
	/** Ends the request. A command that was ended may have been carried out all the same. */
	readonly signal?: AbortSignal;
	/** Milliseconds that each attempt may take, instead of the client's `timeoutMs`. */
	readonly timeoutMs?: number;
	/** `low`: all other requests of the key go first, and some of its budget is left to them. Mirrors use it. */
	readonly priority?: "low";
}

/** One page of a list. */
export interface Page<Item> {
	readonly items: readonly Item[];
	/** Where to continue, even after the last page; null in lists that do not follow changes. */
	readonly cursor: string | null;
	/** The time from which changes can be requested; null in lists that do not follow changes. */
	readonly asOf: Date | null;
}

/** A list, read page by page while it is iterated. Each iteration reads it again from the start. */
export interface List<Item> extends AsyncIterable<Item> {
	pages(): AsyncIterable<Page<Item>>;
	/** After the last page whose items were all taken: give it as `cursor` to get what changed since. */
	readonly cursor: string | null;
}

export interface ReserveInput {
	readonly items: readonly t.Line[];
	/** 1 to 525,600; 30 if absent. The operator may have set a shorter limit: see `expiresAt` of the hold. */
	readonly ttlMinutes?: number;
	/** 1 to 200 characters; the SDK makes one if absent. While its hold is active, a repeat gives that hold. */
	readonly externalRef?: string;
}

export interface PlaceInput extends t.OrderDetails {
	/** The hold that becomes the order. */
	readonly token: string;
	/** 1 to 200 visible ASCII characters, the order's `ref`; the SDK makes one if absent. */
	readonly idempotencyKey?: string;
}

export type AdvanceOrder = { readonly orderRef: string; readonly to: "picked" | "shipped" | "held" };
export type AdvanceHold = { readonly token: string; readonly to: "expired" };

type Query<Data extends { query?: unknown }> = NonNullable<Data["query"]>;
export type ProductQuery = Query<api.ProductsData>;
export type InventoryQuery = Query<api.InventoryData>;
export type SummaryQuery = Query<api.InventorySummaryData>;
export type ReceiptQuery = Query<api.ReceiptsData>;
export type OrderQuery = Query<api.ListOrdersData>;
export type ShipmentQuery = Query<api.ListShipmentsData>;
export type EndpointQuery = Query<api.ListWebhookEndpointsData>;
export type DeliveryQuery = Query<api.ListWebhookDeliveriesData>;
export type SandboxRequestQuery = Query<api.ListSandboxRequestsData>;
export type CertificateQuery = Omit<Query<coa.CoaFeedData>, "format">;

/**
 * The operations of the service. Every method throws the errors of `HoldfastError`; section names are the contract's.
 */
export interface Methods {
	/**
	 * Counts what one reserve of each line would be granted now, without holding it. One answer for each line, in
	 * order.
	 */
	check(items: readonly t.Line[], options?: RequestOptions): Promise<t.Availability[]>;
	/**
	 * Holds units before the customer is charged: all lines or none. `no_inventory` means that nothing is held: do not
	 * charge. For a sale from hold to order use `withHold`.
	 */
	reserve(request: ReserveInput, options?: RequestOptions): Promise<t.Hold>;
	/** Ends a hold early. Repeating it is harmless. */
	release(token: string, options?: RequestOptions): Promise<t.Released>;
	/** Takes a hold's units out of stock under your reference, if you ship them yourself. */
	consume(
		request: { readonly token: string; readonly externalRef: string },
		options?: RequestOptions,
	): Promise<t.Consumed>;
	/** Gives back the units that were consumed under a reference and did not leave. */
	reverse(request: { readonly externalRef: string }, options?: RequestOptions): Promise<t.Returned>;
	readonly holds: {
		/** Reads a hold back by its token. */
		get(token: string, options?: RequestOptions): Promise<t.HoldRecord>;
		/** The newest hold that was reserved under a reference; `not_found` if there is none. */
		find(query: { readonly externalRef: string }, options?: RequestOptions): Promise<t.HoldRecord>;
	};
	readonly orders: {
		/** Places the order of a hold. Under one key there is never a second order. */
		place(order: PlaceInput, options?: RequestOptions): Promise<t.Order>;
		/** An order by its `orderId`, or by the key that it was placed under. */
		get(ref: string, options?: RequestOptions): Promise<t.Order>;
		/** Cancels an order that was not picked. A repeat gives the same answer. */
		cancel(ref: string, details?: { readonly reason?: string }, options?: RequestOptions): Promise<t.Order>;
		/** The orders of this key, in the order of their changes. */
		list(query?: OrderQuery, options?: RequestOptions): List<t.Order>;
	};
	readonly shipments: {
		/** The boxes of the key's brand, in the order of their changes. Keep the one with the higher `version`. */
		list(query?: ShipmentQuery, options?: RequestOptions): List<t.Shipment>;
		/** Puts 2 to 20 orders of this key into one box. */
		combine(
			orderRefs: readonly string[],
			details?: { readonly primaryRef?: string },
			options?: RequestOptions,
		): Promise<t.Shipment>;
	};
	readonly inventory: {
		/** The counts of one SKU, by pool and in total; `not_found` for a SKU that does not exist. */
		get(query: InventoryQuery, options?: RequestOptions): Promise<t.InventoryPosition>;
		/** What can be shipped for a brand, a row for each formula, in units. */
		summary(query?: SummaryQuery, options?: RequestOptions): List<t.FormulaSummary>;
	};
	readonly products: {
		/** Every SKU that this key may sell, with its counts. */
		list(query?: ProductQuery, options?: RequestOptions): List<t.Product>;
	};
	readonly receipts: {
		/** Units received into the brand's own stock, by lot and day. */
		list(query?: ReceiptQuery, options?: RequestOptions): List<t.Receipt>;
	};
	readonly prepaid: {
		/**
		 * Replaces the mirror of a brand's prepaid units. `applied: false`: a push with this `sequence`, or a higher
		 * one, came before.
		 */
		push(mirror: api.ReserveCacheRequest, options?: RequestOptions): Promise<t.PrepaidMirror>;
	};
	readonly keys: {
		/** Which key one of your tokens belongs to, and what it may do. At most ten calls in any 60 seconds. */
		introspect(token: string, options?: RequestOptions): Promise<t.Introspection>;
	};
	readonly versions: {
		/** The API dates of the service. */
		list(options?: RequestOptions): Promise<t.ApiVersion[]>;
	};
	readonly coa: {
		/**
		 * Certificates in the order of their changes. A mirror asks for `status: "all"`, or it misses withdrawn ones.
		 */
		list(query?: CertificateQuery, options?: RequestOptions): List<t.Certificate>;
		/** The certificates of one batch number, of any status. */
		lot(lot: string, options?: RequestOptions): Promise<t.Certificate[]>;
		/** The same list as CSV with one header row, read page by page while the stream is read. */
		csv(query?: CertificateQuery, options?: RequestOptions): ReadableStream<Uint8Array>;
		/** What a buyer may know of a lot number. Needs no key; `not_found` for an unknown number. */
		lookup(lot: string, options?: RequestOptions): Promise<t.LotLookup>;
	};
	readonly webhookEndpoints: {
		/** Registers an address; the reply shows its `secret` this once. */
		create(endpoint: api.WebhookEndpointRequest, options?: RequestOptions): Promise<t.WebhookEndpointWithSecret>;
		list(query?: EndpointQuery, options?: RequestOptions): List<t.WebhookEndpoint>;
		get(endpointId: string, options?: RequestOptions): Promise<t.WebhookEndpoint>;
		update(endpointId: string, change: api.WebhookEndpointChange, options?: RequestOptions): Promise<t.WebhookEndpoint>;
		/**
		 * Gives the endpoint a new secret. Events are also signed with the older ones for `overlapHours`: 0 to 168, 24
		 * if absent.
		 */
		rotateSecret(
			endpointId: string,
			details?: { readonly overlapHours?: number },
			options?: RequestOptions,
		): Promise<t.WebhookEndpointWithSecret>;
		/** Ends the endpoint and its secrets. */
		delete(endpointId: string, options?: RequestOptions): Promise<api.WebhookEndpointDeleted>;
		/** Sends a `webhook.test` event to it. */
		test(endpointId: string, options?: RequestOptions): Promise<api.WebhookTest>;
		/** What was sent to it, each delivery with its attempts. */
		deliveries(endpointId: string, query?: DeliveryQuery, options?: RequestOptions): List<t.WebhookDelivery>;
		/** Sends one delivery again. */
		resend(endpointId: string, deliveryId: string, options?: RequestOptions): Promise<api.WebhookResend>;
		/** Sends the events again that were not delivered since a time. */
		recover(
			endpointId: string,
			from: { readonly since: GivenTime },
			options?: RequestOptions,
		): Promise<api.WebhookRecovery>;
	};
	/** For sandbox keys only. */
	readonly sandbox: {
		/** Moves an order to its next state, or ends a hold, without waiting for a warehouse or for time to pass. */
		advance(move: AdvanceOrder, options?: RequestOptions): Promise<t.Order>;
		advance(move: AdvanceHold, options?: RequestOptions): Promise<t.ExpiredHold>;
		/** Sets the free units of every test SKU back to their first number. */
		restock(options?: RequestOptions): Promise<api.Restocked>;
		/** Tells the go-live run what the site shows. One call in 15 seconds is kept. */
		shown(items: readonly t.ShownItem[], options?: RequestOptions): Promise<t.KeptShown>;
		/** The go-live run of this key: the running one, or else the last. */
		golive(options?: RequestOptions): Promise<t.GoLive>;
		/** Starts ten minutes of 401, the run's messages to the endpoint, or an unkind hour. */
		drill(what: t.Drill, options?: RequestOptions): Promise<t.StartedDrill>;
		/** The requests of this key, newest first, with both bodies. */
		requests(query?: SandboxRequestQuery, options?: RequestOptions): List<t.SandboxRequest>;
	};
}
