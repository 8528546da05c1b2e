import type { OrderStatus, ServiceLevel } from "../../inventory/orders/order.ts";

/** Milliseconds after placing at which the sandbox picks an order (settlements, section 10). */
export const PICKED_AFTER_MS = 30_000;
/** Milliseconds after placing at which it ships it (the same). */
export const SHIPPED_AFTER_MS = 60_000;

/** An order of the sandbox, as far as it matters for what comes next. */
export interface BoxedTestOrder {
	readonly orderId: string;
	/** The reservation token of its hold. */
	readonly token: string;
	readonly status: OrderStatus;
	readonly serviceLevel: ServiceLevel;
	/** Milliseconds since it was placed, by the database's clock. */
	readonly ageMs: number;
	/** A line of it is of a SKU whose order is put on hold, and it never was. */
	readonly actsOutHeld: boolean;
}

/** The orders that wait in one box, in its order: at least one. */
export type TestBox = readonly BoxedTestOrder[];

/** What the sandbox does with a box now. */
export interface NextMoves {
	readonly hold: readonly BoxedTestOrder[];
	readonly pick: readonly BoxedTestOrder[];
	readonly ship: boolean;
}

const NOTHING: NextMoves = { hold: [], pick: [], ship: false };

/**
 * Orders in one box move on together, when the one placed last is due; nobody picks half a box. One that acts out a
 * hold is held at its own time, and as long as it is held the others wait.
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

/** How a box left, as nobody's carrier has it: the names say that it is made up. */
export interface FakeLabel {
	readonly carrierCode: string;
	readonly serviceCode: string;
	readonly trackingNumber: string;
}

const CARRIER = "sandbox_post";
/** Hexadecimal digits of an order's id that its tracking number is made from: those at its end are random. */
const ID_DIGITS = 12;
const TRACKING_DIGITS = 12;

/** The label of a box: the same whoever asks, and however often. */
export function fakeLabel({ orderId, serviceLevel }: Pick<BoxedTestOrder, "orderId" | "serviceLevel">): FakeLabel {
	const number = BigInt(`0x${orderId.slice(-ID_DIGITS)}`) % 10n ** BigInt(TRACKING_DIGITS);
	return {
		carrierCode: CARRIER,
		serviceCode: `${CARRIER}_${serviceLevel}`,
		trackingNumber: `SBX${String(number).padStart(TRACKING_DIGITS, "0")}`,
	};
}

/** What an order that acts out a hold waits for. */
export const HELD_DETAIL = "The sandbox acts out an order that has to wait.";
