import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type FoundOrder, findOrders } from "./find-order-sql.ts";
import { type OrderOfName, selectOrdersById, selectOrdersNamed } from "./operator-sql.ts";

/** The format of an id, in either case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const FIND_MESSAGES = {
	order_not_found: "There is no order with this order_id or Idempotency-Key.",
	order_forbidden: "Another key of yours placed this order: use that key.",
} as const;

/**
 * The order that a partner names: by id, then by the Idempotency-Key under which this key placed it (settlements,
 * section 6). Another partner's order is not found.
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

/** Minimum number of orders to combine (settlements, section 7). */
const MIN_COMBINED = 2;

/**
 * The distinct ids of the orders to combine. The box of the first is used: `primaryRef`, or else the first of `refs`.
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

/** Maximum number of orders listed in a message about an ambiguous name. */
const MAX_CHOICES = 5;

type Found = OrderOfName | Refusal<"order_not_found" | "invalid_input">;

/**
 * The orders that an operator names. A name is an order id, or an Idempotency-Key or external id that only one order
 * has; an order with that id takes precedence. Every name has an entry.
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

/** The order that an operator names. Refuses `order_not_found`, or `invalid_input` if several orders have the name. */
export async function findNamedOrder(db: Query, name: string): Promise<Found> {
	const found = await findNamedOrders(db, [name]);
	return found.get(name) ?? theOne(name, []);
}

/** The orders of several names, in the order of the names and each once, or the refusal of the first unusable name. */
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
		`${orders.length} orders have the name ${JSON.stringify(name)}. Give the id of one: ${[...shown, ...more].join(", ")}.`,
	);
}
