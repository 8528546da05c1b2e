import type * as coa from "../wire/__generated__/coa.ts";
import type * as api from "../wire/__generated__/partner.ts";
import type { GivenTime } from "../wire/given.ts";
import type * as m from "./methods.ts";
import type * as t from "./types.ts";

/** A whole reply: its data in the SDK's spelling, with counts as plain numbers, and what its headers say. */
export interface Reply<Data> {
	readonly data: Data;
	readonly status: number;
	readonly headers: Headers;
	/** Names the request: quote it when you ask for help. */
	readonly requestId: string | null;
	/** Whether the service repeated the answer of an earlier request. */
	readonly replayed: boolean;
	readonly warnings: readonly t.Warning[];
	readonly rateLimit: t.RateLimit | null;
}

/** `etag` of an earlier reply's header `ETag`: an unchanged page is answered 304, without data. */
export interface Conditional extends m.RequestOptions {
	readonly etag: string | null;
}

type Once<Data> = Promise<Reply<Data>>;

interface Conditionally<Query, Data> {
	(query: Query | undefined, options: Conditional): Once<Data | null>;
	(query?: Query, options?: m.RequestOptions): Once<Data>;
}

interface ConditionallyOf<Data> {
	(of: string, options: Conditional): Once<Data | null>;
	(of: string, options?: m.RequestOptions): Once<Data>;
}

/** The same operations as whole replies; a list gives one page. */
export interface Raw {
	check(items: readonly t.Line[], options?: m.RequestOptions): Once<api.Availability>;
	reserve(request: m.ReserveInput, options?: m.RequestOptions): Once<api.Hold>;
	release(token: string, options?: m.RequestOptions): Once<api.Released>;
	consume(
		request: { readonly token: string; readonly externalRef: string },
		options?: m.RequestOptions,
	): Once<api.Consumed>;
	reverse(request: { readonly externalRef: string }, options?: m.RequestOptions): Once<api.Returned>;
	readonly holds: {
		get(token: string, options?: m.RequestOptions): Once<api.HoldReadBack>;
		find(query: { readonly externalRef: string }, options?: m.RequestOptions): Once<api.HoldReadBack>;
	};
	readonly orders: {
		place(order: m.PlaceInput, options?: m.RequestOptions): Once<api.Order>;
		readonly get: ConditionallyOf<api.Order>;
		cancel(ref: string, details?: { readonly reason?: string }, options?: m.RequestOptions): Once<api.Order>;
		readonly list: Conditionally<m.OrderQuery, api.OrderPage>;
	};
	readonly shipments: {
		readonly list: Conditionally<m.ShipmentQuery, api.ShipmentPage>;
		combine(
			orderRefs: readonly string[],
			details?: { readonly primaryRef?: string },
			options?: m.RequestOptions,
		): Once<api.Shipment>;
	};
	readonly inventory: {
		readonly get: {
			(query: m.InventoryQuery, options: Conditional): Once<api.InventoryPosition | null>;
			(query: m.InventoryQuery, options?: m.RequestOptions): Once<api.InventoryPosition>;
		};
		readonly summary: Conditionally<m.SummaryQuery, api.SummaryPage>;
	};
	readonly products: { readonly list: Conditionally<m.ProductQuery, api.ProductPage> };
	readonly receipts: { readonly list: Conditionally<m.ReceiptQuery, api.ReceiptPage> };
	readonly prepaid: { push(mirror: api.ReserveCacheRequest, options?: m.RequestOptions): Once<api.ReserveCache> };
	readonly keys: { introspect(token: string, options?: m.RequestOptions): Once<api.Introspection> };
	readonly versions: { list(options?: m.RequestOptions): Once<api.ApiVersions> };
	readonly coa: {
		readonly list: Conditionally<m.CertificateQuery, coa.CoaPage>;
		readonly lot: ConditionallyOf<coa.CoasOfLot>;
		/** One page; its next cursor is in the header `X-Next-Cursor`. */
		csv(query?: m.CertificateQuery, options?: m.RequestOptions): Once<Uint8Array>;
		lookup(lot: string, options?: m.RequestOptions): Once<coa.LotLookup>;
	};
	readonly webhookEndpoints: {
		create(endpoint: api.WebhookEndpointRequest, options?: m.RequestOptions): Once<api.WebhookEndpointWithSecret>;
		readonly list: Conditionally<m.EndpointQuery, api.WebhookEndpoints>;
		get(endpointId: string, options?: m.RequestOptions): Once<api.WebhookEndpoint>;
		update(
			endpointId: string,
			change: api.WebhookEndpointChange,
			options?: m.RequestOptions,
		): Once<api.WebhookEndpoint>;
		rotateSecret(
			endpointId: string,
			details?: { readonly overlapHours?: number },
			options?: m.RequestOptions,
		): Once<api.WebhookEndpointWithSecret>;
		delete(endpointId: string, options?: m.RequestOptions): Once<api.WebhookEndpointDeleted>;
		test(endpointId: string, options?: m.RequestOptions): Once<api.WebhookTest>;
		deliveries(endpointId: string, query?: m.DeliveryQuery, options?: m.RequestOptions): Once<api.WebhookDeliveries>;
		resend(endpointId: string, deliveryId: string, options?: m.RequestOptions): Once<api.WebhookResend>;
		recover(
			endpointId: string,
			from: { readonly since: GivenTime },
			options?: m.RequestOptions,
		): Once<api.WebhookRecovery>;
	};
	readonly sandbox: {
		advance(move: m.AdvanceOrder, options?: m.RequestOptions): Once<api.Order>;
		advance(move: m.AdvanceHold, options?: m.RequestOptions): Once<api.ExpiredHold>;
		restock(options?: m.RequestOptions): Once<api.Restocked>;
		shown(items: readonly t.ShownItem[], options?: m.RequestOptions): Once<t.KeptShown>;
		golive(options?: m.RequestOptions): Once<t.GoLive>;
		drill(what: t.Drill, options?: m.RequestOptions): Once<t.StartedDrill>;
		requests(query?: m.SandboxRequestQuery, options?: m.RequestOptions): Once<api.SandboxRequests>;
	};
}
