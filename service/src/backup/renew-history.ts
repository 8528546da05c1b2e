import type { Query } from "../pg/connect.ts";
import { RENEWALS } from "./renew-sql.ts";

/**
 * Renews what callers and nodes may remember of a time that this database does not know any more, in the caller's transaction: numbers
 * of lists, versions of orders and boxes, and the stamps by which memory is trusted. `tables` are those that there are.
 */
export async function renewHistory(tx: Query, tables: ReadonlySet<string>): Promise<void> {
	for (const { tables: needed, statement } of RENEWALS) {
		if (needed.every((name) => tables.has(name))) await tx.query(statement);
	}
}
