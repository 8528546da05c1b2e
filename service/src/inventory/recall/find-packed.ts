import type { Query } from "../../ground/pg/connect.ts";
import { listWrites } from "../../partners/admin/list-writes.ts";
import * as sql from "./packed-sql.ts";

/** An order that was picked or packed before a recall reached it: its box must be opened, or has been. */
export interface PackedOrder extends Omit<sql.WaitingBox, "isPacked"> {
	readonly keyId: string;
	readonly ref: string;
	readonly externalOrderId: string | null;
	/** Units of the lots that may be, or were, in the box. */
	readonly units: number;
	readonly batchNumbers: readonly string[];
	/** Null: it was not picked, but its box had a label or was voided, or a part of it was shipped. */
	readonly pickedAt: Date | null;
	/** When it was picked again; null: it was not. */
	readonly pickedAnewAt: Date | null;
}

/** The time of a recall: its beginning, and its end unless it is running. */
export interface RecallTimes {
	readonly from: Date;
	readonly to: Date | null;
}

/** An open order whose units of the lots may have been taken from the shelf. */
export type TakenOrder = Omit<PackedOrder, Exclude<keyof sql.WaitingBox, "orderId"> | "pickedAnewAt">;

/**
 * Adds the boxes in which the orders wait. Leaves out those that are neither picked nor packed. With the times of a
 * recall, the orders that were picked or packed when it took their units come after these, even if they were picked
 * again or have left since.
 */
export async function findPacked(
	tx: Query,
	taken: readonly TakenOrder[],
	fgIds: readonly string[],
	times: RecallTimes | null,
): Promise<PackedOrder[]> {
	const { rows } = await sql.selectWaitingBoxes(
		tx,
		taken.map(({ orderId }) => orderId),
	);
	const boxes = new Map(rows.map((box) => [box.orderId, box]));
	const packed = taken.flatMap((order) => {
		const box = boxes.get(order.orderId);
		if (box === undefined || (order.pickedAt === null && !box.isPacked)) return [];
		const { shipmentId, carrierCode, trackingNumber } = box;
		return [{ ...order, shipmentId, carrierCode, trackingNumber, pickedAnewAt: null }];
	});
	if (times === null) return packed;
	const known = new Set(packed.map(({ orderId }) => orderId));
	const kept = await keptOrders(tx, fgIds, times);
	return [...packed, ...kept.filter(({ orderId }) => !known.has(orderId))];
}

/** Orders that were picked or packed when the recall took their units; the audit log says when they were picked. */
async function keptOrders(tx: Query, fgIds: readonly string[], { from, to }: RecallTimes): Promise<PackedOrder[]> {
	const { rows } = await sql.selectRecalledOrders(tx, fgIds, from, to);
	if (rows.length === 0) return [];
	const writes = await listWrites(
		tx,
		rows.map(({ orderId }) => orderId),
	);
	const picks = Map.groupBy(
		writes.filter(({ operation }) => operation === "pick_order"),
		({ about }) => about,
	);
	return rows.flatMap(({ takenAt, isRecalled, wasLabelled, pickedAt: last, ...order }) => {
		const pickedAt = picks.get(order.orderId)?.findLast(({ at }) => at <= takenAt)?.at ?? null;
		const pickedAnewAt = last !== null && last > takenAt ? last : null;
		if (pickedAt === null && !wasLabelled) return [];
		// after a false alarm there is nothing to take out
		return pickedAnewAt === null && !isRecalled ? [] : [{ ...order, pickedAt, pickedAnewAt }];
	});
}
