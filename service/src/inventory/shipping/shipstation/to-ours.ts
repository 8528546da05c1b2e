import { parseInstant } from "../../../ground/lib/instant.ts";
import type { BoxHint, BoxStage, PlatformBox } from "../label-platform.ts";
import { orderIdOf } from "./external-id.ts";
import type { TheirFulfillment, TheirItem, TheirLabel, TheirShipment } from "./wire.ts";

export interface TheirBox {
	readonly shipment: TheirShipment;
	readonly labels: readonly TheirLabel[];
	readonly fulfillments: readonly TheirFulfillment[];
}

/** Statuses in which the carrier has the parcel. */
const WITH_CARRIER: ReadonlySet<string> = new Set(["in_transit", "delivered"]);
/** Stages whose data comes from a label or a mark as shipped. */
const WITH_PAPER: ReadonlySet<BoxStage> = new Set(["label_created", "shipped", "voided"]);
/** Statuses of a box that was stopped on the platform. */
const STANDING_STILL: ReadonlySet<string> = new Set(["on_hold", "awaiting_payment"]);

/**
 * A box in our terms. It is `shipped` when its carrier has it, when it was marked as shipped without a label, or once
 * the ship date of its label has passed; until then a label means `label_created`. `today`: the database's day in UTC.
 */
export function toBox({ shipment, labels, fulfillments }: TheirBox, today: string): PlatformBox {
	const outward = labels.filter(({ isReturn }) => !isReturn);
	const label = latest(outward.filter(({ voided, status }) => !voided && status === "completed"));
	const mark = latest(fulfillments.filter(({ voided }) => !voided));
	const voided = latest(outward.filter((one) => one.voided));
	const stage = stageOf(shipment, { label, mark, voided }, today);
	// the last voided label counts only while there is no other document
	const paper = WITH_PAPER.has(stage) ? (label ?? mark ?? voided) : null;
	const { platformId, modifiedAt, orderIds } = hintOf(shipment);
	return {
		platformId,
		modifiedAt,
		orderIds,
		stage,
		carrierCode: paper?.carrierCode ?? null,
		serviceCode: paper?.serviceCode ?? null,
		trackingNumber: paper?.trackingNumber ?? null,
		trackingUrl: paper?.trackingUrl ?? null,
		labelCreatedAt: paper === mark ? null : (paper?.createdAt ?? null),
		shippedAt: stage === "shipped" ? shippedAt(label ?? mark, shipment) : null,
		voidedAt: label === null && mark === null && voided !== null ? (voided.voidedAt ?? shipment.modifiedAt) : null,
		voidedNumbers: voidedNumbers(outward),
		items: itemsOf(shipment),
		otherItems: otherItemsOf(shipment),
		store: shipment.storeId,
		detail: stage === "on_hold" ? holdDetail(shipment) : null,
	};
}

const voidedNumbers = (labels: readonly TheirLabel[]): string[] =>
	labels
		.flatMap(({ voided, trackingNumber }) => (voided && trackingNumber !== null ? [trackingNumber] : []))
		.toSorted();

export const hintOf = (shipment: TheirShipment): BoxHint => ({
	platformId: shipment.shipmentId,
	modifiedAt: shipment.modifiedAt,
	orderIds: orderIdsOf(shipment),
	isCancelled: shipment.status === "cancelled",
	hasLabel: shipment.status === "label_purchased",
});

interface Papers {
	readonly label: TheirLabel | null;
	readonly mark: TheirFulfillment | null;
	readonly voided: TheirLabel | null;
}

function stageOf({ status }: TheirShipment, { label, mark, voided }: Papers, today: string): BoxStage {
	if (status === "cancelled") return "cancelled";
	if (label !== null) {
		if (WITH_CARRIER.has(label.trackingStatus ?? "")) return "shipped";
		return label.shipDay !== null && label.shipDay < today ? "shipped" : "label_created";
	}
	if (mark !== null) return "shipped";
	if (STANDING_STILL.has(status)) return "on_hold";
	return voided === null ? "awaiting" : "voided";
}

/** The start of the ship day, or the paper's creation if later: a label may be created during its ship day. */
function shippedAt(
	paper: { readonly shipDay: string | null; readonly createdAt: string | null } | null,
	{ modifiedAt }: TheirShipment,
): string {
	const created = paper?.createdAt ?? null;
	const day = paper?.shipDay ? `${paper.shipDay}T00:00:00.000Z` : null;
	if (created === null) return day ?? modifiedAt;
	if (day === null) return created;
	return (parseInstant(day) ?? 0) > (parseInstant(created) ?? 0) ? day : created;
}

const holdDetail = ({ status, holdUntil }: TheirShipment): string =>
	holdUntil === null
		? `The label platform has the box in ${status}.`
		: `The label platform holds the box until ${holdUntil}.`;

/** The order of ours that an item names; of one that names none, the order under whose id the box is kept. */
function ownerOf({ externalOrderId }: TheirItem, { externalShipmentId }: TheirShipment): string | null {
	return orderIdOf(externalOrderId ?? externalShipmentId);
}

function orderIdsOf(shipment: TheirShipment): readonly string[] {
	const owners = shipment.items.map((item) => ownerOf(item, shipment));
	const ids = [orderIdOf(shipment.externalShipmentId), ...owners].filter((id) => id !== null);
	// a box emptied by a split still belongs to the order under whose id it is kept
	return [...new Set(ids)].toSorted();
}

export function itemsOf(shipment: TheirShipment): PlatformBox["items"] {
	const items = new Map<string, { orderId: string; sku: string; qty: number }>();
	for (const item of shipment.items) {
		const orderId = ownerOf(item, shipment);
		if (orderId === null || item.sku === null || item.quantity === 0) continue;
		const key = `${orderId} ${item.sku}`;
		const known = items.get(key) ?? { orderId, sku: item.sku, qty: 0 };
		items.set(key, { ...known, qty: known.qty + item.quantity });
	}
	return [...items.values()].toSorted((a, b) => compare(a.orderId, b.orderId) || compare(a.sku, b.sku));
}

/** Items that belong to none of our orders. An item without a SKU is identified by its name, so that it is not lost. */
export function otherItemsOf(shipment: TheirShipment): PlatformBox["otherItems"] {
	const kits = new Map<string, number>();
	for (const item of shipment.items) {
		if (item.quantity === 0 || ownerOf(item, shipment) !== null) continue;
		const sku = item.sku ?? `(no SKU) ${item.name ?? ""}`.trim();
		kits.set(sku, (kits.get(sku) ?? 0) + item.quantity);
	}
	return [...kits].map(([sku, qty]) => ({ sku, qty })).toSorted((a, b) => compare(a.sku, b.sku));
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

function latest<T extends { readonly createdAt: string | null }>(papers: readonly T[]): T | null {
	const at = ({ createdAt }: T): number => parseInstant(createdAt ?? "") ?? 0;
	return papers.reduce<T | null>((best, next) => (best === null || at(next) >= at(best) ? next : best), null);
}
