import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { OrderToErase } from "../../inventory/orders/erase-sql.ts";
import { isOpen } from "../../inventory/orders/order.ts";
import { MOST_OF_ADDRESS, MOST_TOLD } from "./limits.ts";

/** How an operator names the orders whose customers are erased. */
export type NamedBy = "order" | "address" | "list";

type FoundToErase = Omit<OrderToErase, "environment">;

/** What is to be done with the orders that were found. */
export interface Erasure {
	readonly erase: readonly string[];
	/** Erased earlier. */
	readonly already: readonly string[];
	/** Still to be shipped, and therefore skipped; only where orders are named by a list. */
	readonly open: readonly string[];
}

/**
 * Decides which customers are erased. An order that is still to be shipped needs its address, so it is refused, and
 * with it every other order of the address: otherwise a request that was carried out in part could be mistaken for a
 * complete one. A list names erasures that were requested before: an order in it that is open, because a restore
 * brought it back in that state, is skipped.
 */
export function decideErasure(
	by: NamedBy,
	found: readonly FoundToErase[],
): Erasure | Refusal<"not_found" | "not_possible_now" | "invalid_input"> {
	if (by === "address" && found.length === 0) return refuse("not_found", "No order has this e-mail address.");
	if (by === "address" && found.length > MOST_OF_ADDRESS)
		return refuse("invalid_input", `/customer_email: more than ${MOST_OF_ADDRESS} orders have it`);
	const open = found.filter(({ status }) => isOpen(status));
	if (by !== "list" && open.length > 0) return refuse("not_possible_now", openMessage(open));
	return erasureOf(found);
}

/** Which of these orders can be erased, and which cannot. */
export function erasureOf(found: readonly FoundToErase[]): Erasure {
	const ended = found.filter(({ status }) => !isOpen(status));
	return {
		erase: ended.filter(({ isErased }) => !isErased).map(idOf),
		already: ended.filter(({ isErased }) => isErased).map(idOf),
		open: found.filter(({ status }) => isOpen(status)).map(idOf),
	};
}

const idOf = ({ orderId }: FoundToErase): string => orderId;

function openMessage(open: readonly FoundToErase[]): string {
	const [first] = open;
	if (open.length === 1 && first)
		return `Order ${first.called} is ${first.status} and needs its address: ship or cancel it first. Nothing was erased.`;
	const named = open.slice(0, MOST_TOLD).map(({ called, status }) => `${called} (${status})`);
	const more = open.length > MOST_TOLD ? [`${open.length - MOST_TOLD} more`] : [];
	return `${open.length} orders need their address: ship or cancel them first: ${[...named, ...more].join(", ")}. Nothing was erased.`;
}
