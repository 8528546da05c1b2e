import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { findOrdersOfEmail, findOrdersToErase } from "../../inventory/orders/erase-customers.ts";
import type { OrderToErase } from "../../inventory/orders/erase-sql.ts";
import { findNamedOrder } from "../../inventory/orders/find-order.ts";
import type { RunStep } from "../../partners/runs/run.ts";
import { clearLogOf, clearLogOfAddress, isOver, type LogSearch } from "./clear-log.ts";
import { eraseOrders } from "./erase-orders.ts";
import { decideErasure, type Erasure, type NamedBy } from "./erasure.ts";
import { MOST_OF_ADDRESS, ORDERS_AT_ONCE } from "./limits.ts";
import type { AskedBy } from "./sql.ts";

/** Whose data is to be erased; exactly one of these is given. */
export interface NamedCustomers {
	readonly order?: string | undefined;
	readonly customer_email?: string | undefined;
	readonly order_ids?: readonly string[] | undefined;
}

/** The orders of a request, and what is to be done with them. */
export interface FoundCustomers extends Erasure {
	/** What the audit log says that the request was about: never the address. */
	readonly about: string;
	/** Orders of the sandbox among those that are erased. */
	readonly sandbox: readonly string[];
	/** Ids that no order has. */
	readonly unknown: number;
}

/** Finds the orders of a request, without locks, and decides which of them are erased. */
export async function findCustomers(db: Query, named: NamedCustomers): Promise<FoundCustomers | Refusal> {
	const { order, customer_email: email, order_ids: ids } = named;
	if ([order, email, ids].filter((one) => one !== undefined).length !== 1)
		return refuse("invalid_input", "/order: expected exactly one of order, customer_email and order_ids");
	if (email !== undefined)
		return toFound("address", "an e-mail address", await findOrdersOfEmail(db, email, MOST_OF_ADDRESS + 1));
	if (ids !== undefined) {
		const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
		const orders = await findOrdersToErase(db, wanted);
		return toFound("list", "a list of orders", orders, wanted.length - orders.length);
	}
	const one = await findNamedOrder(db, order ?? "");
	return isRefusal(one) ? one : toFound("order", one.orderId, await findOrdersToErase(db, [one.orderId]));
}

function toFound(by: NamedBy, about: string, orders: readonly OrderToErase[], unknown = 0): FoundCustomers | Refusal {
	const decided = decideErasure(by, orders);
	if (isRefusal(decided)) return decided;
	const erased = new Set(decided.erase);
	const ofSandbox = orders.filter(({ orderId, environment }) => environment === "sandbox" && erased.has(orderId));
	return { ...decided, about, sandbox: ofSandbox.map(({ orderId }) => orderId), unknown };
}

/** An erasure between two steps. */
export interface EraseState {
	/** Orders whose customers are still to be erased. */
	readonly left: readonly string[];
	readonly log: LogSearch;
	/** The address, encrypted; null: none was given, or it is no longer needed. */
	readonly address: { readonly ringId: string; readonly sealed: string } | null;
	readonly erased: number;
	readonly already: number;
	readonly open: readonly string[];
	readonly unknown: number;
}

/** The result of a run, and the reply of a dry run that would erase `erased` orders. */
export const erasedReply = ({ erased, already, open, unknown }: Omit<EraseState, "left" | "log" | "address">) => ({
	erased,
	already,
	open: [...open],
	unknown,
});

/**
 * The next step of an erasure. The log of requests comes first, while the orders can still be found in it by their
 * customers' data; then the orders, a limited number in each step.
 */
export async function eraseNamed(
	tx: Query,
	state: EraseState,
	by: AskedBy,
	addressOf: (state: EraseState) => string | null,
): Promise<RunStep<EraseState> | Refusal> {
	const of = state.erased + state.left.length;
	if (!isOver(state.log)) {
		const log = await clearNext(tx, state, addressOf);
		if (isRefusal(log)) return log;
		const next = { ...state, log, address: log.addressKeys?.length ? state.address : null };
		return { state: next, done: state.erased, of, result: null, isEnd: false };
	}
	const now = state.left.slice(0, ORDERS_AT_ONCE);
	const { erase, already, open } = await eraseOrders(tx, now, by);
	const next: EraseState = {
		...state,
		left: state.left.slice(now.length),
		erased: state.erased + erase.length,
		already: state.already + already.length,
		open: [...state.open, ...open],
		address: null,
	};
	return { state: next, done: next.erased, of, result: erasedReply(next), isEnd: next.left.length === 0 };
}

async function clearNext(
	tx: Query,
	state: EraseState,
	addressOf: (state: EraseState) => string | null,
): Promise<LogSearch | Refusal> {
	if (!state.log.addressKeys?.length) return await clearLogOf(tx, state.log);
	const address = addressOf(state);
	if (address !== null) return await clearLogOfAddress(tx, state.log, address);
	return refuse(
		"internal_error",
		"The key ring lacks the entry under which this erasure keeps its address. What was erased until here stays erased: put the entry back, or erase the customers of this address again.",
	);
}
