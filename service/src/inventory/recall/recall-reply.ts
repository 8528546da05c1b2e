import type { OperatorRun } from "../../partners/runs/run.ts";
import type { LotOfBatch } from "../stock/find-lot-sql.ts";
import type { RecallState } from "./carry-out-recall.ts";
import type { RecallReport } from "./report-recall.ts";

/** The progress of a recall, as its run stores it and replies show it. */
export const summaryReply = ({ target, ...state }: RecallState) => ({
	batch_number: "fgId" in target ? null : target.batchNumber,
	formula: "fgId" in target ? null : target.formula,
	slug: "fgId" in target ? null : target.slug,
	fg_id: "fgId" in target ? target.fgId : null,
	reason: state.reason,
	moved: state.moved,
	replaced: state.replaced,
	lost: state.lost,
	left: state.left,
});

/** The result of a recall's run. */
export const resultOf = (state: RecallState) => ({ ...summaryReply(state), fg_ids: state.fgIds });

type RecallResult = ReturnType<typeof resultOf>;

export function runSummary(run: OperatorRun) {
	const { fg_ids: fgIds, ...summary } = run.result as RecallResult;
	const times = {
		status: run.status,
		started_at: run.startedAt.toISOString(),
		ended_at: run.endedAt?.toISOString() ?? null,
	};
	return { fgIds, reply: { recall_id: run.runId, ...times, ...summary } };
}

export const listsReply = (report: Omit<RecallReport, "forecast">, nearlyTheSame: readonly LotOfBatch[]) => ({
	nearly_the_same: nearlyTheSame.map(lotName),
	lots: report.lots.map(({ fgId, formula, brandCode, batchNumber, recalledAt, ...buckets }) => ({
		...lotName({ fgId, formula, brandCode, batchNumber }),
		recalled_at: recalledAt?.toISOString() ?? null,
		restored: report.restored.get(fgId) ?? 0,
		...buckets,
	})),
	shipped_orders: report.shippedOrders.map((one) => ({
		...ownerReply(one),
		order_id: one.orderId,
		ref: one.ref,
		external_order_id: one.externalOrderId,
		units: one.units,
		batch_numbers: [...one.batchNumbers],
		shipment_id: one.shipmentId,
		shipped_at: one.shippedAt.toISOString(),
		carrier_code: one.carrierCode,
		tracking_number: one.trackingNumber,
		customer: one.customer,
		email: one.email,
		phone: one.phone,
		city: one.city,
		country: one.country,
	})),
	consumed: report.consumed.map((one) => ({
		...ownerReply(one),
		external_ref: one.externalRef,
		reservation_token: one.reservationToken,
		units: one.units,
		shipped_units: one.shippedUnits,
		batch_numbers: [...one.batchNumbers],
		consumed_at: one.consumedAt.toISOString(),
	})),
	shipped_elsewhere: report.shippedElsewhere.map((one) => ({
		reference: one.reference,
		units: one.units,
		batch_numbers: [...one.batchNumbers],
		at: one.at.toISOString(),
	})),
	impaired_holds: report.impairedHolds.map((one) => ({
		...ownerReply(one),
		reservation_token: one.reservationToken,
		external_ref: one.externalRef,
		units: one.units,
		expires_at: one.expiresAt.toISOString(),
	})),
	held_orders: report.heldOrders.map((one) => ({
		...ownerReply(one),
		order_id: one.orderId,
		ref: one.ref,
		external_order_id: one.externalOrderId,
		units: one.units,
		placed_at: one.placedAt.toISOString(),
	})),
	packed_orders: report.packedOrders.map((one) => ({
		...ownerReply(one),
		order_id: one.orderId,
		ref: one.ref,
		external_order_id: one.externalOrderId,
		units: one.units,
		batch_numbers: [...one.batchNumbers],
		picked_at: one.pickedAt?.toISOString() ?? null,
		picked_anew_at: one.pickedAnewAt?.toISOString() ?? null,
		shipment_id: one.shipmentId,
		carrier_code: one.carrierCode,
		tracking_number: one.trackingNumber,
	})),
});

const lotName = ({ fgId, formula, brandCode, batchNumber }: Omit<LotOfBatch, "sandboxOf">) => ({
	fg_id: fgId,
	formula,
	brand_code: brandCode,
	batch_number: batchNumber,
});

const ownerReply = (one: { readonly partner: string; readonly key: string; readonly keyName: string }) => ({
	partner: one.partner,
	key: one.key,
	key_name: one.keyName,
});
