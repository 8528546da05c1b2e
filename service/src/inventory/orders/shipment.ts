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

/** One line of an order in a box, as shipped. */
export interface PackedItem {
	readonly order_id: string;
	/** Index of the order's line. */
	readonly line: number;
	readonly sku: string;
	readonly qty: number;
	readonly lots: readonly PackedLot[];
}
export interface PackedLot {
	readonly fg_id: string;
	readonly formula_id: string;
	readonly batch_number: string;
	readonly units: number;
}

/** A box: at first an entry in the queue for labels, then the record of a shipment. Times are epoch milliseconds. */
export interface Shipment {
	readonly shipmentId: string;
	readonly poolId: number;
	readonly environment: Environment;
	status: ShipmentStatus;
	/** Orders of one key; the first decides the address. */
	orderIds: readonly string[];
	carrierCode: string | null;
	serviceCode: string | null;
	trackingNumber: string | null;
	/** Null: everything that its orders still have to ship. */
	items: readonly PackedItem[] | null;
	readonly createdAt: number;
	labelCreatedAt: number | null;
	/** When its last label was voided, if it has not left: the box is packed all the same. */
	labelVoidedAt: number | null;
	shippedAt: number | null;
	/** The actor of the ship command; null: not shipped, or before this was recorded. */
	shippedBy: string | null;
	voidedAt: number | null;
	modifiedAt: number;
	/** Increases with each change. */
	version: number;
}

/**
 * Whether the box, or an order of this environment, goes to the label platform. Nothing of the sandbox ever does
 * (settlements, section 10); check this before every push, cancel or combine on the platform.
 */
export const reachesLabelPlatform = ({ environment }: Pick<Shipment, "environment">): boolean => environment === "live";

/** Statuses of a box that is still to be shipped. */
export const WAITING_STATUSES = ["awaiting_shipment", "on_hold", "label_created"] as const;
export type WaitingStatus = (typeof WAITING_STATUSES)[number];

/** The same for `status in` in SQL. */
export const WAITING_IN_SQL = `(${WAITING_STATUSES.map((status) => `'${status}'`).join(", ")})`;

export const isWaiting = ({ status }: Pick<Shipment, "status">): boolean =>
	WAITING_STATUSES.some((waiting) => waiting === status);

/** Whether units may be in the box and in the warehouse: it waits, or was voided, so that its parcel never left. */
export const isInWarehouse = (box: Pick<Shipment, "status">): boolean => isWaiting(box) || box.status === "voided";

/** The same for `where` in SQL. */
export const IN_WAREHOUSE_IN_SQL = `(status in ${WAITING_IN_SQL} or status = 'voided')`;
