import type { KnownSizes } from "../../ground/engine/known-sizes.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { OrderNeeds } from "./needs.ts";
import type { Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";

/** Names an order in a command. The token never changes, so it can be looked up beforehand without a lock. */
export interface NamedOrder {
	readonly orderId: string;
	/** The reservation token of its hold. */
	readonly token: string;
}

export const nameOf = ({ orderId, token }: NamedOrder): NamedOrder => ({ orderId, token });

export function needOrder({ orderIds, tokens }: OrderNeeds, { orderId, token }: NamedOrder): void {
	orderIds.add(orderId);
	tokens.push({ token, keyId: null });
}

export const namedOrder = (
	book: BookWithOrders,
	{ orderId }: { readonly orderId: string },
): Order | Refusal<"order_not_found"> =>
	book.orders.byId.get(orderId) ?? refuse("order_not_found", `There is no order ${orderId}.`);

/** Includes the token, so that a cancel is decided after the `place` command that it follows. */
const identitiesOf = ({ orderId, token }: NamedOrder): readonly string[] => [orderId, token];

/** The common part of the kinds of commands on one order and its units. */
export const ONE_ORDER = {
	looksUp: false,
	needs: needOrder,
	weigh: ({ token }: NamedOrder, sizes: KnownSizes) => sizes.of(token),
	identities: identitiesOf,
} as const;

/** The same for commands on an order that touch none of its units. */
export const ORDER_ALONE = {
	looksUp: false,
	needs: ({ orderIds }: OrderNeeds, { orderId }: { readonly orderId: string }) => void orderIds.add(orderId),
	identities: ({ orderId }: { readonly orderId: string }) => [orderId],
} as const;

/** The same for commands on all orders in a box and their units. */
export const ORDERS_IN_BOX = {
	looksUp: false,
	weigh: ({ orders }: { readonly orders: readonly NamedOrder[] }, sizes: KnownSizes) =>
		orders.reduce((weight, { token }) => weight + sizes.of(token), 0),
	identities: ({ orders }: { readonly orders: readonly NamedOrder[] }) => orders.flatMap(identitiesOf),
} as const;

/** Whether these are exactly the orders of a box, each once. */
export const isSameSet = (orderIds: readonly string[], orders: readonly Order[]): boolean =>
	orderIds.length === orders.length &&
	orderIds.length === new Set(orders).size &&
	orders.every(({ orderId }) => orderIds.includes(orderId));
