import type { Environment } from "../../glossary.ts";

export const SHIPMENT_STATUSES = [
	"awaiting_shipment",
	"on_hold",
	"label_created",
	"shipped",
	"voided",
	"cancelled",
] as const;
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number];

/** One line of an order in a box, as it was when the box was shipped. */
export interface PackedItem {
	readonly order_id: string;
	/** Index of the order's line. */
	readonly line: number;
	readonly sku: string;
	/** Kits. */
	readonly qty: number;
	readonly lots: readonly PackedLot[];
}
export interface PackedLot {
	readonly fg_id: string;
	readonly formula_id: string;
	readonly batch_number: string;
	readonly units: number;
}

/** A box: the entry of an order in the queue for labels, then what was shipped. Times are epoch milliseconds. */
export interface Shipment {
	readonly shipmentId: string;
	/** That of its orders. */
	readonly poolId: number;
	readonly environment: Environment;
	status: ShipmentStatus;
	/** All of one key; the first says where the box goes. */
	orderIds: readonly string[];
	carrierCode: string | null;
	serviceCode: string | null;
	trackingNumber: string | null;
	/** Null: it is to have whatever its orders have left. */
	items: readonly PackedItem[] | null;
	readonly createdAt: number;
	labelCreatedAt: number | null;
	shippedAt: number | null;
	voidedAt: number | null;
	modifiedAt: number;
	/** Grows with each change. */
	version: number;
}

/**
 * Does the box, or an order of this environment, go to the label platform? Nothing of the sandbox ever does
 * (settlements, section 10): whoever pushes, cancels or combines there asks this first.
 */
export const reachesLabelPlatform = ({ environment }: Pick<Shipment, "environment">): boolean => environment === "live";

/** Those of a box that is still to be shipped. */
export const WAITING_STATUSES = ["awaiting_shipment", "on_hold", "label_created"] as const;
export type WaitingStatus = (typeof WAITING_STATUSES)[number];

/** The same as a list in SQL, for `status in`. */
export const WAITING_IN_SQL = `(${WAITING_STATUSES.map((status) => `'${status}'`).join(", ")})`;

/** Is the box still to be shipped? */
export const isWaiting = ({ status }: Pick<Shipment, "status">): boolean =>
	WAITING_STATUSES.some((waiting) => waiting === status);
