import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type ShippedReport, wrongReport } from "./report.ts";
import { withShipped } from "./reported-order.ts";

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
