import type { Query } from "../../ground/pg/connect.ts";
import { RENEWALS, STOP_WEBHOOKS, WEBHOOK_TABLES } from "./renew-sql.ts";

export interface RenewOptions {
	/** For a rehearsal, whose partners must hear nothing of it. */
	readonly withoutWebhooks: boolean;
}

/**
 * Renews what callers and nodes may remember of a time that this database does not know any more, in the caller's
 * transaction: numbers of lists, versions of orders and boxes, and the stamps by which memory is trusted. `there` are
 * the tables that there are, and their columns. Answers how many webhook endpoints were stopped; null: that was not
 * asked for.
 */
export async function renewHistory(
	tx: Query,
	there: ReadonlyMap<string, readonly string[]>,
	{ withoutWebhooks }: RenewOptions,
): Promise<number | null> {
	const stopped = withoutWebhooks ? await stopWebhooks(tx, there) : null;
	for (const { tables, columns = [], statement } of RENEWALS) {
		const known = columns.every((name) => {
			const [table = "", column = ""] = name.split(".");
			return there.get(table)?.includes(column) === true;
		});
		if (known && tables.every((name) => there.has(name))) await tx.query(statement);
	}
	return stopped;
}

async function stopWebhooks(tx: Query, there: ReadonlyMap<string, unknown>): Promise<number> {
	if (!WEBHOOK_TABLES.every((name) => there.has(name))) return 0; // a backup of before there were any
	const { rows } = await tx.query<{ stopped: number }>(STOP_WEBHOOKS);
	return rows[0]?.stopped ?? 0;
}
