import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type FoundOrder, findOrders } from "./find-order-sql.ts";
import { type OrderOfName, selectOrdersById, selectOrdersNamed } from "./operator-sql.ts";

/** What an id looks like, in either case. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const FIND_MESSAGES = {
	order_not_found: "There is no order with this order_id or Idempotency-Key.",
	order_forbidden: "Another key of yours placed this order: ask with that key.",
} as const;

/**
 * The order that a partner means: by its id, then by the Idempotency-Key that this key placed it under (settlements,
 * section 6). Another partner's order looks like none.
 */
export async function findOrder(
	db: Query,
	{ keyId, partnerId }: Caller,
	ref: string,
): Promise<FoundOrder | Refusal<"order_not_found" | "order_forbidden">> {
	const orderId = UUID.test(ref) ? ref.toLowerCase() : null;
	const found = await findOrders(db, orderId, keyId, ref);
	const own = found.find((order) => order.keyId === keyId);
	if (own) return own;
	return found.some((order) => order.partnerId === partnerId)
		? refuse("order_forbidden", FIND_MESSAGES.order_forbidden)
		: refuse("order_not_found", FIND_MESSAGES.order_not_found);
}

/** Fewer are no combination (settlements, section 7). */
const MIN_COMBINED = 2;

/**
 * The ids of the orders that a partner wants in one box, each once: first the one whose box it becomes, which is
 * `primaryRef`; absent: the first.
 */
export async function findOrdersToCombine(
	db: Query,
	caller: Caller,
	refs: readonly string[],
	primaryRef: string | undefined,
): Promise<readonly string[] | Refusal<"order_not_found" | "order_forbidden" | "invalid_input">> {
	const orderIds = new Set<string>();
	for (const [index, ref] of refs.entries()) {
		const found = await findOrder(db, caller, ref);
		if (isRefusal(found)) return { ...found, message: `/order_refs/${index}: ${found.message}` };
		orderIds.add(found.orderId);
	}
	const primary = primaryRef === undefined ? undefined : await findOrder(db, caller, primaryRef);
	if (isRefusal(primary)) return primary;
	if (primary && !orderIds.has(primary.orderId))
		return refuse("invalid_input", "/primary_ref: expected one of order_refs.");
	if (orderIds.size < MIN_COMBINED)
		return refuse("invalid_input", "/order_refs: expected at least two different orders.");
	return [...new Set([...(primary ? [primary.orderId] : []), ...orderIds])];
}

/** Orders that a message names when a name is not enough. */
const MAX_CHOICES = 5;

type Found = OrderOfName | Refusal<"order_not_found" | "invalid_input">;

/**
 * The orders that an operator means, by the names given: each an order id, or an Idempotency-Key or a partner's own id
 * that only one order has. An id is nobody's name but the order's. Every name has an entry.
 */
export async function findNamedOrders(db: Query, names: readonly string[]): Promise<ReadonlyMap<string, Found>> {
	const ids = names.filter((name) => UUID.test(name)).map((name) => name.toLowerCase());
	const byId = ids.length === 0 ? [] : (await selectOrdersById(db, ids)).rows;
	const known = new Map(byId.map((order) => [order.name, order]));
	const others = [...new Set(names)].filter((name) => !known.has(name.toLowerCase()));
	const byName = others.length === 0 ? [] : (await selectOrdersNamed(db, others)).rows;
	const called = Map.groupBy(byName, ({ name }) => name);
	return new Map(names.map((name) => [name, known.get(name.toLowerCase()) ?? theOne(name, called.get(name) ?? [])]));
}

/** The order that an operator means. Refuses `order_not_found`, or `invalid_input` when several have the name. */
export async function findNamedOrder(db: Query, name: string): Promise<Found> {
	const found = await findNamedOrders(db, [name]);
	return found.get(name) ?? theOne(name, []);
}

/** The orders of several names, in the order of the names and each once; or why one of the names means none. */
export async function findEachNamedOrder(
	db: Query,
	names: readonly string[],
): Promise<readonly OrderOfName[] | Refusal<"order_not_found" | "invalid_input">> {
	const orders = new Map<string, OrderOfName>();
	for (const found of (await findNamedOrders(db, names)).values()) {
		if (isRefusal(found)) return found;
		orders.set(found.orderId, found);
	}
	return [...orders.values()];
}

function theOne(name: string, orders: readonly OrderOfName[]): Found {
	const [order] = orders;
	if (!order) {
		return refuse(
			"order_not_found",
			`There is no order with the id, the Idempotency-Key or the external id ${JSON.stringify(name)}.`,
		);
	}
	if (orders.length === 1) return order;
	const shown = orders
		.slice(0, MAX_CHOICES)
		.map(({ orderId, partner, status }) => `${orderId} (${partner}, ${status})`);
	const more = orders.length > MAX_CHOICES ? [`${orders.length - MAX_CHOICES} more`] : [];
	return refuse(
		"invalid_input",
		`${orders.length} orders are called ${JSON.stringify(name)}: say which by its id: ${[...shown, ...more].join(", ")}.`,
	);
}
