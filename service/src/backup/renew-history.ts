import type { Query } from "../pg/connect.ts";
import { RENEWALS, STOP_WEBHOOKS, WEBHOOK_TABLES } from "./renew-sql.ts";

export interface RenewOptions {
	/** For a rehearsal, whose partners must hear nothing of it. */
	readonly withoutWebhooks: boolean;
}

/**
 * Renews what callers and nodes may remember of a time that this database does not know any more, in the caller's transaction: numbers
 * of lists, versions of orders and boxes, and the stamps by which memory is trusted. `tables` are those that there are. Answers how many
 * webhook endpoints were stopped; null: that was not asked for.
 */
export async function renewHistory(
	tx: Query,
	tables: ReadonlySet<string>,
	{ withoutWebhooks }: RenewOptions,
): Promise<number | null> {
	const stopped = withoutWebhooks ? await stopWebhooks(tx, tables) : null;
	for (const { tables: needed, statement } of RENEWALS) {
		if (needed.every((name) => tables.has(name))) await tx.query(statement);
	}
	return stopped;
}

async function stopWebhooks(tx: Query, tables: ReadonlySet<string>): Promise<number> {
	if (!WEBHOOK_TABLES.every((name) => tables.has(name))) return 0; // a backup of before there were any
	const { rows } = await tx.query<{ stopped: number }>(STOP_WEBHOOKS);
	return rows[0]?.stopped ?? 0;
}
