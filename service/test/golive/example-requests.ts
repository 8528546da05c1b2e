import type { FactRequest } from "../../src/upkeep/golive/facts.ts";
import { MINUTE } from "../../src/upkeep/golive/windows.ts";

/*
 * Requests and replies for the tests of checks.
 */

const START = Date.parse("2026-12-01T08:00:00.000Z");
/** Minutes of the run, and milliseconds more, as an instant. */
export const minute = (minutes: number, ms = 0): number => START + minutes * MINUTE + ms;

/** A request that takes 5 ms. */
export const request = (requestId: string, at: number, some: Partial<FactRequest> = {}): FactRequest => ({
	at,
	requestId,
	operation: "getOrder",
	url: "/api/v1/orders/none",
	status: 200,
	code: null,
	ms: 5,
	about: [],
	idempotencyKey: null,
	body: null,
	reply: null,
	retryAfter: null,
	...some,
});

/** The same request, refused. */
export const failing = (one: FactRequest, status: number, code: string): FactRequest => ({
	...one,
	status,
	code,
	reply: null,
});

const post =
	(operation: string, url: string) =>
	(id: string, at: number, body: object, some: Partial<FactRequest> = {}) =>
		request(id, at, {
			operation,
			url,
			body,
			about: Object.values(body).filter((one) => typeof one === "string"),
			...some,
		});
export const reserveOf = post("reserve", "/api/v1/reserve");
export const release = post("release", "/api/v1/release");
export const consume = post("consume", "/api/v1/consume");
export const reverse = post("reverseConsume", "/api/v1/consume/reverse");
export const placeOf = post("placeOrder", "/api/v1/orders");

/** A reserve of one kit under a reference that is answered with a hold of 30 minutes. */
export const reserve = (id: string, at: number, external_ref: string, token: string, idempotent = false): FactRequest =>
	reserveOf(
		id,
		at,
		{ items: [{ sku: "SBX-LOW", qty: 1 }], external_ref },
		{
			status: 201,
			reply: {
				data: { reservation_token: token, expires_at: new Date(at + 30 * MINUTE).toISOString(), idempotent },
			},
		},
	);
/** A reserve that is refused with 409. */
export const refused = (id: string, at: number, code: "retry" | "no_inventory", external_ref?: string): FactRequest =>
	reserveOf(
		id,
		at,
		{ items: [{ sku: code === "retry" ? "SBX-RETRY" : "SBX-OUT", qty: 1 }], ...(external_ref ? { external_ref } : {}) },
		{ status: 409, code },
	);
/** An order from a hold, placed under an Idempotency-Key. */
export const place = (id: string, at: number, key: string, token: string, order: string): FactRequest =>
	placeOf(
		id,
		at,
		{ reservation_token: token },
		{ status: 201, idempotencyKey: key, reply: { data: { order_id: order } } },
	);
export const cancel = (id: string, at: number, order: string): FactRequest =>
	request(id, at, {
		operation: "cancelOrder",
		url: `/api/v1/orders/${order}/cancel`,
		about: [order],
		reply: { data: { order_id: order, status: "cancelled" } },
	});
/** A read of an order, in one box. */
export const getOrder = (id: string, at: number, order: string, tracking_number: string | null): FactRequest =>
	request(id, at, {
		url: `/api/v1/orders/${order}`,
		about: [order],
		reply: { data: { order_id: order, shipments: [{ tracking_number, orders: [{ order_id: order }] }] } },
	});

export type CountsBySku = Readonly<Record<string, number>>;
/** A read of all counts. */
export const products = (id: string, at: number, counts: CountsBySku, some: Partial<FactRequest> = {}): FactRequest =>
	request(id, at, {
		operation: "products",
		url: "/api/v1/products",
		reply: { data: { items: Object.entries(counts).map(([sku, atp_qty]) => ({ sku, availability: { atp_qty } })) } },
		...some,
	});
/** A page of the certificates' feed. `query`: such as `status=all&cursor=c1`. */
export const feed = (
	id: string,
	at: number,
	query: string,
	items: readonly object[],
	next: string,
	more = false,
): FactRequest =>
	request(id, at, {
		operation: "coaFeed",
		url: `/api/partner/v1/coa?${query}`,
		reply: { data: { items, next_cursor: next, has_more: more } },
	});
