import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type RenewOptions, renewHistory } from "./renew-history.ts";
import { selectColumns } from "./sql.ts";

/**
 * Renews the same data as a restore, in a database that was reset to an earlier state in another way: by point-in-time
 * recovery or from a snapshot of its file system.
 */
export async function renewRecovered(db: Database, options: RenewOptions): Promise<number | null> {
	return await transaction(db, async (tx) => {
		const { rows } = await selectColumns(tx);
		return renewHistory(tx, new Map(rows.map(({ table, columns }) => [table, columns])), options);
	});
}
