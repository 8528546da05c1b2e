import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type CancelledReport, wrongReport } from "./report.ts";
import { withCancelled } from "./reported-order.ts";

/**
 * Records that nothing more of a reported order will be shipped: releases its promised units; shipped units stay
 * shipped. As safe to repeat as `noteOpenOrder`, with the same refusals.
 */
export async function noteCancelled(db: Database, settings: DemandSettings, report: CancelledReport): Promise<Noted> {
	const wrong = wrongReport(report, [], null);
	return wrong ?? (await noteReport(db, settings, report, (order) => withCancelled(order, report)));
}
