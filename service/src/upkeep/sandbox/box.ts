import type { OrderStatus, ServiceLevel } from "../../inventory/orders/order.ts";

/** Milliseconds after placing at which the sandbox picks an order (settlements, section 10). */
export const PICKED_AFTER_MS = 30_000;
/** Milliseconds after placing at which the sandbox ships an order (settlements, section 10). */
export const SHIPPED_AFTER_MS = 60_000;

/** The part of a sandbox order that decides its next step. */
export interface BoxedTestOrder {
	readonly orderId: string;
	/** The reservation token of its hold. */
	readonly token: string;
	readonly status: OrderStatus;
	readonly serviceLevel: ServiceLevel;
	/** Milliseconds since the order was placed, by the database's clock. */
	readonly ageMs: number;
	/** Whether it has a line of the SKU whose orders are put on hold, and has not been on hold yet. */
	readonly actsOutHeld: boolean;
}

/** The orders that wait in one box, in the box's order: at least one. */
export type TestBox = readonly BoxedTestOrder[];

/** The next steps of the sandbox for a box. */
export interface NextMoves {
	readonly hold: readonly BoxedTestOrder[];
	readonly pick: readonly BoxedTestOrder[];
	readonly ship: boolean;
}

const NOTHING: NextMoves = { hold: [], pick: [], ship: false };

/**
 * The orders in a box advance together when the last one placed is due, so that no half box is picked. An order that
 * simulates being on hold is put on hold at its own time, and the others wait while it is.
 */
export function nextMoves(box: TestBox): NextMoves {
	const hold = box.filter(
		({ status, actsOutHeld, ageMs }) => status === "placed" && actsOutHeld && ageMs >= PICKED_AFTER_MS,
	);
	if (hold.length > 0) return { ...NOTHING, hold };
	if (box.some(({ status }) => status === "held")) return NOTHING;
	const youngest = Math.min(...box.map(({ ageMs }) => ageMs));
	const pick = box.filter(({ status }) => status === "placed");
	if (pick.length > 0) return youngest >= PICKED_AFTER_MS ? { ...NOTHING, pick } : NOTHING;
	return youngest >= SHIPPED_AFTER_MS ? { ...NOTHING, ship: true } : NOTHING;
}

const CARRIER = "sandbox_post";
/** Number of hexadecimal digits of an order's id in its tracking number: the last ones, which are random. */
const ID_DIGITS = 12;
const TRACKING_DIGITS = 12;

/** The label of a box, always the same for the same box. It has no real carrier: its names show that it is made up. */
export function fakeLabel({ orderId, serviceLevel }: Pick<BoxedTestOrder, "orderId" | "serviceLevel">) {
	const number = BigInt(`0x${orderId.slice(-ID_DIGITS)}`) % 10n ** BigInt(TRACKING_DIGITS);
	return {
		carrierCode: CARRIER,
		serviceCode: `${CARRIER}_${serviceLevel}`,
		trackingNumber: `SBX${String(number).padStart(TRACKING_DIGITS, "0")}`,
	};
}

/** The reason shown on an order that simulates being on hold. */
export const HELD_DETAIL = "The sandbox simulates an order that is put on hold.";
