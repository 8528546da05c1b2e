import { SHARED_POOL_ID } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { whyUnsellable } from "../catalog/sku.ts";
import { moveParts } from "../holds/end-hold.ts";
import { type Hold, type HoldLine, isImpaired, linesOf } from "../holds/hold.ts";
import { refKey } from "../holds/hold-book.ts";
import { NO_HOLD, ownHold } from "../holds/own-hold.ts";
import { repickOutOfDate } from "../holds/repick.ts";
import { wholeKitsOf } from "../holds/tell-impaired.ts";
import type { Origin } from "../stock/move.ts";
import { seenTo } from "./change.ts";
import type { OrderKind } from "./kind.ts";
import type { Customer, Order, ServiceLevel } from "./order.ts";
import type { BookWithOrders } from "./order-book.ts";
import { type OrderRecord, recordOf } from "./order-record.ts";
import type { Shipment } from "./shipment.ts";

export interface PlaceCommand {
	readonly kind: "place";
	readonly origin: Origin;
	readonly caller: Caller;
	readonly token: string;
	/** The Idempotency-Key. */
	readonly ref: string;
	/** Ids for the order and its box, if they are created. */
	readonly newOrderId: string;
	readonly newShipmentId: string;
	readonly externalOrderId: string | null;
	readonly customer: Customer;
	readonly serviceLevel: ServiceLevel;
	readonly note: string | null;
}

export interface PlacedOrder {
	readonly orderId: string;
	/** The order as placed; null for a replay, whose order may have changed since. */
	readonly record: OrderRecord | null;
}

/** The messages of the refusals that quote nothing from the request. */
export const PLACE_MESSAGES = {
	idempotency_mismatch: "This Idempotency-Key placed an order from another hold: use a different key for each order.",
	reservation_not_found: NO_HOLD.message,
	reservation_forbidden: "Another key of yours made this hold: place the order with that key.",
	reservation_used: "This hold became an order under another Idempotency-Key.",
	reservation_expired: "This hold aged out of its window and its units are free again: reserve again.",
	reservation_gone: "This hold was released and its units are free again: reserve again.",
	reservation_empty:
		"Everything that this hold had was lost to a recall or an expiry date and could not be replaced: release it and reserve again.",
	kit_incomplete:
		"Some kits of this hold lost units to a recall or an expiry date that could not be replaced: release it and reserve again.",
} as const;
const refusePlace = (code: keyof typeof PLACE_MESSAGES): PlaceRefusal => refuse(code, PLACE_MESSAGES[code]);

type PlaceRefusal = Refusal<keyof typeof PLACE_MESSAGES | "unresolved_stack" | "hold_race">;

/** Serializes commands under one Idempotency-Key. The prefix keeps them apart from references of holds. */
const identityOf = (keyId: string, ref: string): string => `order ${refKey(keyId, ref)}`;

export const place: OrderKind<PlaceCommand, PlacedOrder | PlaceRefusal> = {
	looksUp: false,
	conflict: "hold_race",
	needs({ tokens, linesOf: lines, orderRefs, placing }, { token, ref, caller: { keyId } }) {
		tokens.push({ token, keyId });
		lines.add(token);
		orderRefs.push({ keyId, ref });
		placing.push({ token });
	},
	decide: decidePlace,
	weigh: ({ token }, sizes) => sizes.of(token),
	identities: ({ token, ref, caller }) => [token, identityOf(caller.keyId, ref)],
};

/** Checks in order: replay or mismatch, then the hold (settlements, sections 5 and 6). */
function decidePlace(book: BookWithOrders, command: PlaceCommand): PlacedOrder | PlaceRefusal {
	const { token, ref, caller } = command;
	const earlier = book.orders.byRef.get(refKey(caller.keyId, ref));
	if (earlier) {
		if (earlier.reservationToken === token) return { orderId: earlier.orderId, record: null };
		return refusePlace("idempotency_mismatch");
	}
	const hold = ownHold(book, caller.keyId, token);
	if (!hold) return refuseUnknown(book, command);
	const refusal = refuseEnded(hold) ?? refuseLost(book, hold) ?? refuseUnresolved(book.catalog, hold);
	if (refusal) return refusal;
	const why = { cause: "place", causeId: token, origin: command.origin };
	moveParts(book, hold, "held", "allocated", why);
	hold.status = "placed";
	book.holds.changeHold(hold);
	seenTo(book, hold);
	const order = makeOrder(book, command, hold);
	return { orderId: order.orderId, record: recordOf(book, order) };
}

/** Reports another partner's hold as unknown, even if another command of the batch brought it into the book. */
function refuseUnknown({ holds, orders }: BookWithOrders, { token, caller }: PlaceCommand): PlaceRefusal {
	const partnerId = holds.byToken.get(token)?.partnerId ?? orders.partnerOf.get(token);
	return partnerId === caller.partnerId ? refusePlace("reservation_forbidden") : refusePlace("reservation_not_found");
}

/** Column "orders, confirm" of the table "Token x operation" in settlements, section 5. */
function refuseEnded({ status }: Hold): PlaceRefusal | undefined {
	switch (status) {
		case "active":
			return undefined;
		case "expired":
			return refusePlace("reservation_expired");
		case "released":
			return refusePlace("reservation_gone");
		case "placed":
			return refusePlace("reservation_used");
		default:
			return refuse("reservation_used", `This hold is ${status}: reserve again for a new order.`);
	}
}

/** Picks again the units lost to a recall or an expiry date, and refuses a hold that is still impaired. */
function refuseLost(book: BookWithOrders, hold: Hold): PlaceRefusal | undefined {
	repickOutOfDate(book, hold);
	if (!isImpaired(hold)) return undefined;
	const hasWholeKits = linesOf(hold).some((line, index) => wholeKitsOf(hold, line, index) > 0);
	return refusePlace(hasWholeKits ? "kit_incomplete" : "reservation_empty");
}

/** Every kit must still have a complete recipe of active formulas; otherwise it is unclear what to pack. */
function refuseUnresolved({ skus }: Catalog, hold: Hold): PlaceRefusal | undefined {
	for (const { sku, components } of linesOf(hold)) {
		const now = skus.get(sku);
		if (components.length === 1 && now?.kind !== "kit") continue;
		const why = now === undefined ? "is no longer sold" : whyUnsellable(now);
		if (why === null) continue;
		return refuse(
			"unresolved_stack",
			`The kit ${JSON.stringify(sku)} ${why}: release the hold and reserve without it.`,
		);
	}
	return undefined;
}

function makeOrder(book: BookWithOrders, command: PlaceCommand, hold: Hold): Order {
	const { caller, newOrderId: orderId, newShipmentId: shipmentId } = command;
	const { environment, keyId, partnerId } = caller;
	const poolId = poolOf(book.catalog, caller, linesOf(hold));
	const order: Order = {
		orderId,
		keyId,
		partnerId,
		environment,
		ref: command.ref,
		externalOrderId: command.externalOrderId,
		reservationToken: hold.reservationToken,
		poolId,
		status: "placed",
		version: 1,
		holdReason: null,
		holdDetail: null,
		cancelReason: null,
		customer: command.customer,
		serviceLevel: command.serviceLevel,
		note: command.note,
		shipmentIds: [shipmentId],
		placedAt: book.now,
		heldAt: null,
		pickedAt: null,
		pickAgain: false,
		shippedAt: null,
		cancelledAt: null,
		updatedAt: book.now,
		customerErasedAt: null,
	};
	book.orders.addNewOrder(order, newBox(book, order, shipmentId));
	return order;
}

/** A waiting box for the rest of an order. */
export const newBox = (
	{ now }: Pick<BookWithOrders, "now">,
	{ orderId, poolId, environment }: Order,
	shipmentId: string,
): Shipment => ({
	shipmentId,
	poolId,
	environment,
	status: "awaiting_shipment",
	orderIds: [orderId],
	carrierCode: null,
	serviceCode: null,
	trackingNumber: null,
	items: null,
	createdAt: now,
	labelCreatedAt: null,
	labelVoidedAt: null,
	shippedAt: null,
	shippedBy: null,
	voidedAt: null,
	modifiedAt: now,
	version: 1,
});

/** The pool of the brand that all lines share; the shared pool if they share none. */
function poolOf({ poolsByBrand }: Catalog, caller: Caller, lines: readonly HoldLine[]): number {
	const brands = new Set(lines.map(({ brand_code }) => brand_code));
	const [brand] = brands;
	if (brands.size !== 1 || brand === null || brand === undefined) return SHARED_POOL_ID;
	if (caller.poolId !== null && brand === caller.brandCode) return caller.poolId;
	return poolsByBrand.get(brand)?.poolId ?? SHARED_POOL_ID;
}
