import type { Log } from "../lib/log.ts";
import type { Database } from "../pg/connect.ts";
import type { LabelPlatform } from "./label-platform.ts";
import type { OrdersSide } from "./orders-side.ts";

/** What the work with the label platform is done with. */
export interface LabelDeps {
	readonly db: Database;
	readonly platform: LabelPlatform;
	readonly orders: OrdersSide;
	readonly log: Log;
}
