import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { NamedOrder } from "../orders/named-order.ts";
import type { ShipmentStatus } from "../orders/shipment.ts";
import type { PlatformBox } from "./label-platform.ts";

interface Kits {
	readonly sku: string;
	readonly qty: number;
}

/** A box in Holdfast, with what is needed to apply changes made on the platform. */
export interface OurBox {
	readonly shipmentId: string;
	readonly status: ShipmentStatus;
	readonly trackingNumber: string | null;
	readonly orders: readonly NamedOrder[];
	/** Its contents, or before it ships its planned contents, by order. */
	readonly items: readonly (Kits & { readonly orderId: string })[];
}

export type BoxStep =
	| { readonly step: "void"; readonly shipmentId: string }
	| { readonly step: "label"; readonly orderId: string; readonly trackingNumber: string }
	/** `items` null: everything. */
	| { readonly step: "ship"; readonly orders: readonly NamedOrder[]; readonly items: readonly Kits[] | null };

/** The steps for our boxes whose label was voided on the platform; they come before other steps. Pure. */
export function voidSteps(seen: PlatformBox, boxes: readonly OurBox[]): BoxStep[] {
	// a voided number that is in use again does not count as voided
	const now = hasPaper(seen) ? seen.trackingNumber : null;
	const isVoid = (number: string | null): boolean =>
		number !== null && number !== now && seen.voidedNumbers.includes(number);
	return boxes
		.filter((box) => (box.status === "shipped" || isOpenBox(box)) && isVoid(box.trackingNumber))
		.map(({ shipmentId }) => ({ step: "void", shipmentId }));
}

const hasPaper = ({ stage }: PlatformBox): boolean => stage === "label_created" || stage === "shipped";

/**
 * The steps that a label or a shipped parcel requires for our boxes with the orders of the platform's box; none if all
 * were done before. Refuses a contradiction, which an operator must resolve. Pure.
 */
export function paperSteps(seen: PlatformBox, boxes: readonly OurBox[]): BoxStep[] | Refusal<"wrong_state"> {
	if (!hasPaper(seen)) return [];
	const steps: BoxStep[] = [];
	const met = new Set<OurBox>();
	for (const orderId of seen.orderIds) {
		if (!seen.items.some((item) => item.orderId === orderId)) continue; // all its items were removed from the box
		const own = boxes.filter(({ orders }) => orders.some((order) => order.orderId === orderId));
		const box = own.find(isOpenBox);
		if (own.some((other) => isTold(other, seen)) && (seen.trackingNumber !== null || box === undefined)) continue;
		if (box === undefined) return contradiction(orderId, seen, "has nothing left to be shipped");
		if (met.has(box)) continue;
		met.add(box);
		const step = seen.stage === "shipped" ? shipStep(seen, box) : labelStep(seen, box);
		if (step !== null && "refusal" in step) return step;
		if (step !== null) steps.push(step);
	}
	return steps;
}

/** Whether the parcel is recorded. A parcel without a number contained the whole rest, so nothing may still wait. */
const isTold = ({ status, trackingNumber }: OurBox, seen: PlatformBox): boolean =>
	status === "shipped" && trackingNumber === seen.trackingNumber;

const isOpenBox = ({ status }: OurBox): boolean =>
	status === "awaiting_shipment" || status === "on_hold" || status === "label_created";

function labelStep({ trackingNumber }: PlatformBox, box: OurBox): BoxStep | null {
	const [first] = box.orders;
	if (trackingNumber === null || first === undefined || box.trackingNumber === trackingNumber) return null;
	return { step: "label", orderId: first.orderId, trackingNumber };
}

function shipStep(seen: PlatformBox, box: OurBox): BoxStep | Refusal<"wrong_state"> {
	const { orders } = box;
	const [first] = orders;
	const ids = new Set(orders.map(({ orderId }) => orderId));
	const packed = seen.items.filter(({ orderId }) => ids.has(orderId));
	if (isSame(packed, box.items)) return { step: "ship", orders, items: null };
	const what = "has different contents at the platform and in Holdfast";
	if (orders.length > 1 || seen.trackingNumber === null || first === undefined)
		return contradiction(first?.orderId ?? "", seen, what);
	const items = packed.map(({ sku, qty }) => ({ sku, qty }));
	return { step: "ship", orders, items };
}

const isSame = (a: OurBox["items"], b: OurBox["items"]): boolean => {
	const [left, right] = [kitsOf(a), kitsOf(b)];
	return left.size === right.size && [...left].every(([key, qty]) => right.get(key) === qty);
};

function kitsOf(items: OurBox["items"]): Map<string, number> {
	const kits = new Map<string, number>();
	for (const { orderId, sku, qty } of items) {
		const key = `${orderId} ${sku}`;
		kits.set(key, (kits.get(key) ?? 0) + qty);
	}
	return kits;
}

const contradiction = (orderId: string, { platformId, trackingNumber }: PlatformBox, what: string) =>
	refuse(
		"wrong_state",
		`The label platform ships order ${orderId} in its box ${platformId} (tracking number ${trackingNumber ?? "none"}), but the order ${what}: check both, and ship or void it by hand.`,
	);
