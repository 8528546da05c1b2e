import type { KnownSizes } from "../../ground/engine/known-sizes.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { OrderNeeds } from "./needs.ts";
import type { Order } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";

/** An order as commands name it. Its token never changes, so whoever looked the order up knows which units it has. */
export interface NamedOrder {
	readonly orderId: string;
	/** The reservation token of its hold. */
	readonly token: string;
}

/** What commands name an order by. */
export const nameOf = ({ orderId, token }: NamedOrder): NamedOrder => ({ orderId, token });

/** An order with its units. */
export function needOrder({ orderIds, tokens }: OrderNeeds, { orderId, token }: NamedOrder): void {
	orderIds.add(orderId);
	tokens.push({ token, keyId: null });
}

/** The order that a command names. */
export const namedOrder = (
	book: BookWithOrders,
	{ orderId }: { readonly orderId: string },
): Order | Refusal<"order_not_found"> =>
	book.orders.byId.get(orderId) ?? refuse("order_not_found", `There is no order ${orderId}.`);

/** Orders are also named by their hold, so that a cancel is decided after the place that it follows. */
const identitiesOf = ({ orderId, token }: NamedOrder): readonly string[] => [orderId, token];

/** What kinds of commands on one order and its units have in common. */
export const ONE_ORDER = {
	looksUp: false,
	needs: needOrder,
	weigh: ({ token }: NamedOrder, sizes: KnownSizes) => sizes.of(token),
	identities: identitiesOf,
} as const;

/** The same, of commands on an order that touch none of its units. */
export const ORDER_ALONE = {
	looksUp: false,
	needs: ({ orderIds }: OrderNeeds, { orderId }: { readonly orderId: string }) => void orderIds.add(orderId),
	identities: ({ orderId }: { readonly orderId: string }) => [orderId],
} as const;

/** The same, of commands on all orders in a box and their units. */
export const ORDERS_IN_BOX = {
	looksUp: false,
	weigh: ({ orders }: { readonly orders: readonly NamedOrder[] }, sizes: KnownSizes) =>
		orders.reduce((weight, { token }) => weight + sizes.of(token), 0),
	identities: ({ orders }: { readonly orders: readonly NamedOrder[] }) => orders.flatMap(identitiesOf),
} as const;

/** Are these the orders of a box, each once, and no others? */
export const isSameSet = (orderIds: readonly string[], orders: readonly Order[]): boolean =>
	orderIds.length === orders.length &&
	orderIds.length === new Set(orders).size &&
	orders.every(({ orderId }) => orderIds.includes(orderId));
