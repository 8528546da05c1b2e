import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { carryOut } from "./carry-out.ts";
import type { DemandSettings } from "./draw-units.ts";
import { lockOrder, selectIsReported, selectStanding } from "./orders-sql.ts";
import { type ReconciledOrder, reconcileOrder } from "./reconcile-order.ts";
import {
	type CancelledReport,
	fullReference,
	type OpenReport,
	type OrderName,
	type ShippedReport,
	wrongReport,
} from "./report.ts";
import { type ReportedOrder, withCancelled, withGone, withOpen, withShipped } from "./reported-order.ts";

export type Noted = ReconciledOrder | Refusal<"invalid_input" | "rate_limited">;

/** Records a report under the lock of its order. `change` returns the same object if nothing is new. */
export async function noteReport(
	db: Database,
	settings: DemandSettings,
	name: OrderName,
	change: (order: ReportedOrder) => ReportedOrder,
): Promise<Noted> {
	const reference = fullReference(name);
	const origin = { actor: `system:${name.source}`, requestId: null };
	return await carryOut(db, async (tx) => {
		const before = await lockOrder(tx, name.source, reference);
		const after = change(before);
		if (after !== before) return await reconcileOrder(tx, settings, after, origin);
		const standing = await selectStanding(tx, reference);
		const promisedUnits = standing.reduce((total, { units }) => total + units, 0);
		return { reference, changed: false, promisedUnits, drawnUnits: 0, missingUnits: 0, unsettled: 0 };
	});
}

/**
 * Records an open reported order: kits ordered and not yet shipped become promised units. Safe to repeat and to call
 * late: a repeated report, or an older one after a newer one, changes nothing. Lines without a known store, SKU or
 * recipe become exceptions. Refuses `invalid_input` for an invalid report and `rate_limited` if a conflict persists.
 */
export async function noteOpenOrder(db: Database, settings: DemandSettings, report: OpenReport): Promise<Noted> {
	const wrong = wrongReport(report, report.lines, report.store);
	return wrong ?? (await noteReport(db, settings, report, (order) => withOpen(order, report)));
}

/**
 * Records shipped lines of a reported order. Their units go from available to shipped, first expired first out, from
 * the brand's own stock and then, if the store may use it, from the shared stock; the rest stays promised. Units that
 * no lot has become an exception. The report states the order's total shipped so far, so it is as safe to repeat as
 * `noteOpenOrder`. The refusals are the same.
 */
export async function noteShipped(db: Database, settings: DemandSettings, report: ShippedReport): Promise<Noted> {
	const wrong = wrongReport(report, report.lines, report.store);
	return wrong ?? (await noteReport(db, settings, report, (order) => withShipped(order, report)));
}

/**
 * Records that nothing more of a reported order will be shipped: releases its promised units; shipped units stay
 * shipped. As safe to repeat as `noteOpenOrder`, with the same refusals.
 */
export async function noteCancelled(db: Database, settings: DemandSettings, report: CancelledReport): Promise<Noted> {
	const wrong = wrongReport(report, [], null);
	return wrong ?? (await noteReport(db, settings, report, (order) => withCancelled(order, report)));
}

/**
 * Records that the platform no longer has the order under this reference: releases its promised units until a later
 * change is reported. As safe to repeat as `noteOpenOrder`, with the same refusals.
 */
export async function noteGone(db: Database, settings: DemandSettings, name: OrderName): Promise<Noted> {
	return wrongReport(name, [], null) ?? (await noteReport(db, settings, name, withGone));
}

export const isReported = (db: Query, name: OrderName): Promise<boolean> => selectIsReported(db, fullReference(name));
