import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type OrderName, wrongReport } from "./report.ts";
import { withGone } from "./reported-order.ts";

/**
 * Records that the platform no longer has the order under this reference: releases its promised units until a later
 * change is reported. As safe to repeat as `noteOpenOrder`, with the same refusals.
 */
export async function noteGone(db: Database, settings: DemandSettings, name: OrderName): Promise<Noted> {
	return wrongReport(name, [], null) ?? (await noteReport(db, settings, name, withGone));
}
