import type { Executes } from "../../ground/engine/kind.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import { UUID } from "./find-order.ts";
import type { LabelGate } from "./label-gate.ts";
import { type OrderOfName, selectOrdersById, selectOrdersNamed } from "./operator-sql.ts";

/** What the operator's verbs work with: an order is looked up without locks, then the engine is given one command. */
export interface OperatorDeps {
	readonly db: Query;
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	readonly labels: LabelGate;
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
