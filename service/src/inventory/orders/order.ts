import type { Environment } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { HoldReason } from "../../partners/webhooks/event.ts";

export const ORDER_STATUSES = ["placed", "held", "picked", "partially_shipped", "shipped", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const SERVICE_LEVELS = ["standard", "expedited", "overnight"] as const;
export type ServiceLevel = (typeof SERVICE_LEVELS)[number];

/** Where a parcel goes, as the partner sent it. */
export interface ShipTo {
	readonly name?: string;
	readonly company?: string;
	readonly line1: string;
	readonly line2?: string;
	readonly city: string;
	readonly state?: string;
	readonly postal_code: string;
	/** ISO 3166, two letters. */
	readonly country: string;
}

export interface Customer {
	readonly name: string;
	readonly email?: string;
	readonly phone?: string;
	readonly ship_to: ShipTo;
}

/**
 * A hold that the manufacturer ships. What is in it is what the hold has: its lines and parts. Times are epoch
 * milliseconds.
 */
export interface Order {
	readonly orderId: string;
	readonly keyId: string;
	readonly partnerId: string;
	readonly environment: Environment;
	/** The Idempotency-Key that it was placed under. */
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** The reservation token of its hold. */
	readonly reservationToken: string;
	/** The pool of the brand of all its lines; the shared pool when they have none in common. */
	readonly poolId: number;
	status: OrderStatus;
	/** Grows with each change. */
	version: number;
	holdReason: HoldReason | null;
	holdDetail: string | null;
	/** In words, for the operator. */
	cancelReason: string | null;
	readonly customer: Customer;
	readonly serviceLevel: ServiceLevel;
	readonly note: string | null;
	/** The boxes it is or was in. */
	shipmentIds: readonly string[];
	readonly placedAt: number;
	heldAt: number | null;
	/** When it was picked last; kept when it has to be picked again. */
	pickedAt: number | null;
	/**
	 * It was picked, or a part of it was shipped, and since then it was given other lots, or was on hold: what lies in
	 * its box may be the wrong thing. Nothing of it may leave before it is picked again.
	 */
	pickAgain: boolean;
	shippedAt: number | null;
	cancelledAt: number | null;
	updatedAt: number;
}

/** What somebody wants to do with an order. */
export type OrderMove = "hold" | "release" | "cancel" | "pick" | "ship";

/** In which states each move is possible (settlements, section 6). */
const POSSIBLE: { readonly [move in OrderMove]: readonly OrderStatus[] } = {
	hold: ["placed"],
	release: ["held"],
	cancel: ["placed", "held"],
	pick: ["placed"],
	ship: ["placed", "picked", "partially_shipped"],
};

/** Is the move possible? A part that was shipped makes an order one that cannot be cancelled, also while it is held. */
export const can = (move: OrderMove, status: OrderStatus, shippedUnits: number): boolean =>
	POSSIBLE[move].includes(status) && !(move === "cancel" && shippedUnits > 0);

/** May its partner cancel it? */
export const isCancellable = (status: OrderStatus, shippedUnits: number): boolean =>
	can("cancel", status, shippedUnits);

/** Is something still to be done for the order? */
export const isOpen = (status: OrderStatus): boolean => status !== "shipped" && status !== "cancelled";

const DONE: { readonly [move in OrderMove]: string } = {
	hold: "put on hold",
	release: "released",
	cancel: "cancelled",
	pick: "picked",
	ship: "shipped",
};

/** For the operator and the sandbox: this order does not go there from where it is. */
export function refuseMove(
	move: OrderMove,
	{ orderId, status }: Pick<Order, "orderId" | "status">,
): Refusal<"wrong_state"> {
	const from = POSSIBLE[move].join(" or ");
	return refuse(
		"wrong_state",
		`Order ${orderId} is ${status} and cannot be ${DONE[move]}: only an order that is ${from} can.`,
	);
}

/** Who can end the wait of an order that is held. */
export const actionOf = (reason: HoldReason): "partner" | "manufacturer" =>
	reason === "address_invalid" ? "partner" : "manufacturer";

/**
 * Must the order be picked again before anything of it leaves? A node of an earlier version says so by the status
 * alone: placed, and picked before.
 */
export const mustBePickedAgain = ({ status, pickedAt, pickAgain }: Pick<Order, "status" | "pickedAt" | "pickAgain">) =>
	pickAgain || (status === "placed" && pickedAt !== null);

/** May it be picked now? A part of it may have left before it had to be picked again. */
export const canBePicked = (order: Pick<Order, "status" | "pickedAt" | "pickAgain">): boolean =>
	can("pick", order.status, 0) || (can("ship", order.status, 0) && mustBePickedAgain(order));

/** Where an order goes back to when it is released, or when its shipment was voided. */
export const statusBeforeShipping = (shippedUnits: number, pickedAt: number | null): OrderStatus =>
	shippedUnits > 0 ? "partially_shipped" : pickedAt === null ? "placed" : "picked";
