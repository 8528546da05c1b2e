import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { NamedOrder } from "../orders/named-order.ts";
import type { ShipmentStatus } from "../orders/shipment.ts";
import type { PlatformBox } from "./label-platform.ts";

/** Kits of a SKU. */
interface Kits {
	readonly sku: string;
	readonly qty: number;
}

/** A box here, as far as what the platform tells of it matters. */
export interface OurBox {
	readonly shipmentId: string;
	readonly status: ShipmentStatus;
	readonly trackingNumber: string | null;
	/** All of them. */
	readonly orders: readonly NamedOrder[];
	/** What it has or is to have, by order. */
	readonly items: readonly (Kits & { readonly orderId: string })[];
}

/** What is to be done here, for one box of ours. */
export type BoxStep =
	| { readonly step: "void"; readonly shipmentId: string }
	| { readonly step: "label"; readonly orderId: string; readonly trackingNumber: string }
	/** `items` null: everything. */
	| { readonly step: "ship"; readonly orders: readonly NamedOrder[]; readonly items: readonly Kits[] | null };

/** Boxes of ours whose label the platform has voided: they are voided first. Pure. */
export function voidSteps(seen: PlatformBox, boxes: readonly OurBox[]): BoxStep[] {
	const now = hasPaper(seen) ? seen.trackingNumber : null; // a number that is given out again is not void
	const isVoid = (number: string | null): boolean =>
		number !== null && number !== now && seen.voidedNumbers.includes(number);
	return boxes
		.filter((box) => (box.status === "shipped" || isOpenBox(box)) && isVoid(box.trackingNumber))
		.map(({ shipmentId }) => ({ step: "void", shipmentId }));
}

const hasPaper = ({ stage }: PlatformBox): boolean => stage === "label_created" || stage === "shipped";

/**
 * What a label, or a parcel that left, means for the boxes in which the orders of the platform's box lie here; a
 * refusal when both cannot be true, which an operator has to look at. Nothing, when all of it was done before. Pure.
 */
export function paperSteps(seen: PlatformBox, boxes: readonly OurBox[]): BoxStep[] | Refusal<"wrong_state"> {
	if (!hasPaper(seen)) return [];
	const steps: BoxStep[] = [];
	const met = new Set<OurBox>();
	for (const orderId of seen.orderIds) {
		if (!seen.items.some((item) => item.orderId === orderId)) continue; // everything was taken out of the box
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

/**
 * Was this parcel shipped here before? One without a number was the whole rest of its orders, so nothing of them may
 * wait any more.
 */
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
	const what = "was packed there with other things than it is to have";
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
		`The label platform ships order ${orderId} in its box ${platformId} (tracking number ${trackingNumber ?? "none"}), but the order ${what}: look at both, and ship or void it by hand.`,
	);
