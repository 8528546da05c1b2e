import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type CancelledReport, wrongReport } from "./report.ts";
import { withCancelled } from "./reported-order.ts";

/**
 * Nothing more of an order that did not come through this service will be shipped: what is promised of it is let go;
 * what was shipped stays shipped. As safe to repeat as `noteOpenOrder`, and refuses as it does.
 */
export async function noteCancelled(db: Database, settings: DemandSettings, report: CancelledReport): Promise<Noted> {
	const wrong = wrongReport(report, [], null);
	return wrong ?? (await noteReport(db, settings, report, (order) => withCancelled(order, report)));
}
