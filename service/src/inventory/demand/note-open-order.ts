import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type OpenReport, wrongReport } from "./report.ts";
import { withOpen } from "./reported-order.ts";

/**
 * Records an open reported order: kits ordered and not yet shipped become promised units. Safe to repeat and to call
 * late: a repeated report, or an older one after a newer one, changes nothing. Lines without a known store, SKU or
 * recipe become exceptions. Refuses `invalid_input` for an invalid report and `rate_limited` if a conflict persists.
 */
export async function noteOpenOrder(db: Database, settings: DemandSettings, report: OpenReport): Promise<Noted> {
	const wrong = wrongReport(report, report.lines, report.store);
	return wrong ?? (await noteReport(db, settings, report, (order) => withOpen(order, report)));
}
