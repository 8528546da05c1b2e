import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "./draw-units.ts";
import { type Noted, noteReport } from "./note-report.ts";
import { type OrderName, wrongReport } from "./report.ts";
import { withGone } from "./reported-order.ts";

/**
 * The platform does not have the order any more, under this reference: what is promised of it is let go, until a later
 * change of it is reported. As safe to repeat as `noteOpenOrder`, and refuses as it does.
 */
export async function noteGone(db: Database, settings: DemandSettings, name: OrderName): Promise<Noted> {
	return wrongReport(name, [], null) ?? (await noteReport(db, settings, name, withGone));
}
