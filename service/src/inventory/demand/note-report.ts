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

/** What a report came to. */
export type Noted = ReconciledOrder | Refusal<"invalid_input" | "rate_limited">;

/**
 * Notes a report in one transaction, under the lock of its order. `change` returns the very same order when nothing is
 * new.
 */
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
 * An order that did not come through this service stands open: what it asks for and has not shipped becomes promised.
 * Safe to repeat and to call late: the same report twice, or an older one after a newer one, changes nothing. What has
 * no store, SKU or recipe becomes an exception. Refuses `invalid_input` for a report that cannot be, `rate_limited`
 * when a conflict lasts.
 */
export async function noteOpenOrder(db: Database, settings: DemandSettings, report: OpenReport): Promise<Noted> {
	const wrong = wrongReport(report, report.lines, report.store);
	return wrong ?? (await noteReport(db, settings, report, (order) => withOpen(order, report)));
}

/**
 * Lines of an order that did not come through this service left the house: their units go from available to shipped,
 * first expired first out, from the brand's own stock and then, where the store may, from the shared stock; the rest of
 * the order stays promised. What no lot has becomes an exception. The report names what was shipped of the order in
 * all, so it is as safe to repeat as `noteOpenOrder`. Refuses as it does.
 */
export async function noteShipped(db: Database, settings: DemandSettings, report: ShippedReport): Promise<Noted> {
	const wrong = wrongReport(report, report.lines, report.store);
	return wrong ?? (await noteReport(db, settings, report, (order) => withShipped(order, report)));
}

/**
 * Nothing more of an order that did not come through this service will be shipped: what is promised of it is let go;
 * what was shipped stays shipped. As safe to repeat as `noteOpenOrder`, and refuses as it does.
 */
export async function noteCancelled(db: Database, settings: DemandSettings, report: CancelledReport): Promise<Noted> {
	const wrong = wrongReport(report, [], null);
	return wrong ?? (await noteReport(db, settings, report, (order) => withCancelled(order, report)));
}

/**
 * The platform does not have the order any more, under this reference: what is promised of it is let go, until a later
 * change of it is reported. As safe to repeat as `noteOpenOrder`, and refuses as it does.
 */
export async function noteGone(db: Database, settings: DemandSettings, name: OrderName): Promise<Noted> {
	return wrongReport(name, [], null) ?? (await noteReport(db, settings, name, withGone));
}

/** Has its platform reported this order before? */
export const isReported = (db: Query, name: OrderName): Promise<boolean> => selectIsReported(db, fullReference(name));
