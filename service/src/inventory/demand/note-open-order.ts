import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type OpenReport, wrongReport } from "./report.ts";
import { withOpen } from "./reported-order.ts";

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
