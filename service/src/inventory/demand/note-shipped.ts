import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type ShippedReport, wrongReport } from "./report.ts";
import { withShipped } from "./reported-order.ts";

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
