import type { Database } from "../pg/connect.ts";
import { transaction } from "../pg/transaction.ts";
import { type RenewOptions, renewHistory } from "./renew-history.ts";
import { CARRIED } from "./tables.ts";

/** Renews what a restore renews, in a database that went back in another way: a point-in-time recovery, a snapshot of a file system. */
export async function renewRecovered(db: Database, options: RenewOptions): Promise<number | null> {
	return await transaction(db, (tx) => renewHistory(tx, new Set<string>(CARRIED), options));
}
