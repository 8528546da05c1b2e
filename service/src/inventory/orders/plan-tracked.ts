import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { NamedOrder } from "./named-order.ts";
import type { OrderStatus } from "./order.ts";
import { allWrongInParcel, type Parcel, type WrongInParcel } from "./parcel.ts";
import { isWaiting, type ShipmentStatus } from "./shipment.ts";

/** A parcel as reported by a carrier's software: the order, by any of its names, and the label. */
export interface TrackedParcel extends Parcel {
	readonly name: string;
	readonly trackingNumber: string;
}

export interface TrackedOrder extends NamedOrder {
	readonly status: OrderStatus;
	readonly boxes: readonly {
		readonly shipmentId: string;
		readonly status: ShipmentStatus;
		readonly trackingNumber: string | null;
	}[];
}

export type TrackedStep =
	| { readonly step: "ship"; readonly order: TrackedOrder; readonly shipmentId: string }
	/** The box was shipped under this number before, or ships with another parcel of the list. */
	| { readonly step: "none"; readonly order: TrackedOrder; readonly shipmentId: string };

/** A reason why the whole list is refused. */
export interface WrongParcel {
	/** Index of the parcel in the list. */
	readonly index: number;
	readonly field: "order" | WrongInParcel["field"];
	readonly message: string;
}

/** The steps for a list of parcels, or all its errors. `sameParcel`: boxes may share a tracking number. Pure. */
export function planTracked(
	parcels: readonly TrackedParcel[],
	orderOf: (name: string) => TrackedOrder | Refusal,
	sameParcel = false,
): { readonly steps: readonly TrackedStep[]; readonly wrong: readonly WrongParcel[] } {
	const steps: TrackedStep[] = [];
	const wrong: WrongParcel[] = [];
	const earlier = new Map<string, string>();
	const boxOf = new Map<string, string>();
	for (const [index, parcel] of parcels.entries()) {
		const unreadable: Omit<WrongParcel, "index">[] = allWrongInParcel(parcel);
		const order = orderOf(parcel.name);
		if (isRefusal(order)) unreadable.unshift({ field: "order", message: order.message });
		for (const one of unreadable) wrong.push({ index, ...one });
		if (unreadable.length > 0 || isRefusal(order)) continue;
		const step = planOne(parcel, order, earlier);
		const { trackingNumber } = parcel;
		if (!("step" in step)) wrong.push({ index, ...step });
		else if (sameParcel || (boxOf.get(trackingNumber) ?? step.shipmentId) === step.shipmentId) steps.push(step);
		else wrong.push({ index, field: "tracking", message: "is the tracking number of another box on an earlier line" });
		if ("step" in step) boxOf.set(trackingNumber, step.shipmentId);
	}
	return { steps, wrong };
}

/** `earlier`: tracking numbers of earlier parcels in the list, by box. */
function planOne(
	parcel: TrackedParcel,
	order: TrackedOrder,
	earlier: Map<string, string>,
): TrackedStep | Omit<WrongParcel, "index"> {
	const { name, trackingNumber } = parcel;
	const shipped = order.boxes.filter(({ status }) => status === "shipped");
	const before = shipped.find((box) => box.trackingNumber === trackingNumber);
	if (before) return { step: "none", order, shipmentId: before.shipmentId };
	const box = order.boxes.find(isWaiting);
	if (!box) {
		const numbers = shipped.map((one) => one.trackingNumber ?? "no number").join(", ");
		const how = shipped.length === 0 ? "" : ` under ${numbers}`;
		return { field: "order", message: `order ${name} is ${order.status}${how}: nothing is left to ship` };
	}
	const { shipmentId } = box;
	if (box.status === "on_hold") {
		const message = `the box of order ${name} is on hold: release the orders in it first`;
		return { field: "order", message };
	}
	const other = earlier.get(shipmentId);
	if (other === trackingNumber) return { step: "none", order, shipmentId };
	if (other !== undefined) {
		const message = `an earlier line ships the box of order ${name} under ${other}`;
		return { field: "tracking", message };
	}
	earlier.set(shipmentId, trackingNumber);
	return { step: "ship", order, shipmentId };
}
