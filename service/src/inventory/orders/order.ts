import type { Static } from "typebox";
import type { Environment } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { HoldReason, Party } from "../../partners/webhooks/event.ts";
import type { CustomerRequest } from "./contract.ts";

export const ORDER_STATUSES = ["placed", "held", "picked", "partially_shipped", "shipped", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const SERVICE_LEVELS = ["standard", "expedited", "overnight"] as const;
export type ServiceLevel = (typeof SERVICE_LEVELS)[number];

export type Customer = Static<typeof CustomerRequest>;
export type ShipTo = Customer["ship_to"];

/**
 * The address as it is on the parcel: where no receiver is named, the customer receives it (`ship_to.name` in
 * contract.ts).
 */
export const shipToOf = ({ name, ship_to }: Pick<Customer, "name" | "ship_to">): ShipTo => ({ name, ...ship_to });

/** A hold that the manufacturer ships. Its contents are the hold's lines and parts. Times are epoch milliseconds. */
export interface Order {
	readonly orderId: string;
	readonly keyId: string;
	readonly partnerId: string;
	readonly environment: Environment;
	/** The Idempotency-Key it was placed under. */
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** The reservation token of its hold. */
	readonly reservationToken: string;
	/** The pool of the brand that all lines share; the shared pool if they share none. */
	readonly poolId: number;
	status: OrderStatus;
	/** Increases with each change. */
	version: number;
	holdReason: HoldReason | null;
	holdDetail: string | null;
	/** In words, for the operator and, in its event, for the partner. */
	cancelReason: string | null;
	readonly customer: Customer;
	readonly serviceLevel: ServiceLevel;
	readonly note: string | null;
	/** The boxes it is or was in. */
	shipmentIds: readonly string[];
	readonly placedAt: number;
	heldAt: number | null;
	/** The time of the last pick; kept if the order must be picked again. */
	pickedAt: number | null;
	/**
	 * The order was picked or partially shipped, or its box was labelled or its shipment voided, and since then its
	 * lots changed, it was on hold, or another order left its box or lost units that are in the same parcel, so the box
	 * may contain the wrong units. Nothing may ship before it is picked again.
	 */
	pickAgain: boolean;
	shippedAt: number | null;
	cancelledAt: number | null;
	updatedAt: number;
	/** When the customer's data was erased; null: it was not. Such an order has ended for good. */
	readonly customerErasedAt: number | null;
}

export type OrderMove = "hold" | "release" | "cancel" | "pick" | "ship";

/** The statuses in which each move is possible (settlements, section 6). */
const POSSIBLE: { readonly [move in OrderMove]: readonly OrderStatus[] } = {
	hold: ["placed"],
	release: ["held"],
	cancel: ["placed", "held"],
	pick: ["placed"],
	ship: ["placed", "picked", "partially_shipped"],
};

/** Whether the move is possible. A partially shipped order cannot be cancelled, even while it is held. */
export const can = (move: OrderMove, status: OrderStatus, shippedUnits: number): boolean =>
	POSSIBLE[move].includes(status) && !(move === "cancel" && shippedUnits > 0);

export const isCancellable = (status: OrderStatus, shippedUnits: number): boolean =>
	can("cancel", status, shippedUnits);

/** Whether the order still needs work. */
export const isOpen = (status: OrderStatus): boolean => status !== "shipped" && status !== "cancelled";

/** What people call an order: the partner's own id, or the order's Idempotency-Key. */
export const nameOfOrder = ({ externalOrderId, ref }: Pick<Order, "externalOrderId" | "ref">): string =>
	externalOrderId ?? ref;

const DONE: { readonly [move in OrderMove]: string } = {
	hold: "put on hold",
	release: "released",
	cancel: "cancelled",
	pick: "picked",
	ship: "shipped",
};

/** Refuses a move that is impossible in the order's status, for the operator and the sandbox. */
export function refuseMove(
	move: OrderMove,
	order: Pick<Order, "externalOrderId" | "ref" | "status">,
): Refusal<"wrong_state"> {
	const { status } = order;
	const from = POSSIBLE[move].join(" or ");
	return refuse(
		"wrong_state",
		`Order ${nameOfOrder(order)} is ${status} and cannot be ${DONE[move]}: only an order that is ${from} can.`,
	);
}

/** The party that can resolve the reason for which an order is held. */
export const actionOf = (reason: HoldReason): Party => (reason === "address_invalid" ? "partner" : "manufacturer");

/** Whether it must be picked again. Nodes of an earlier version record this as `placed` with a pick time. */
export const mustBePickedAgain = ({ status, pickedAt, pickAgain }: Pick<Order, "status" | "pickedAt" | "pickAgain">) =>
	pickAgain || (status === "placed" && pickedAt !== null);

/** Whether it may be picked now; a part may have shipped before it had to be picked again. */
export const canBePicked = (order: Pick<Order, "status" | "pickedAt" | "pickAgain">): boolean =>
	can("pick", order.status, 0) || (can("ship", order.status, 0) && mustBePickedAgain(order));

/** The status to which an order returns when it is released or its shipment is voided. */
export const statusBeforeShipping = (shippedUnits: number, pickedAt: number | null): OrderStatus =>
	shippedUnits > 0 ? "partially_shipped" : pickedAt === null ? "placed" : "picked";
