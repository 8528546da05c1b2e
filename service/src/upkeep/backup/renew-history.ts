import type { Query } from "../../ground/pg/connect.ts";
import { RENEWALS, STOP_WEBHOOKS, WEBHOOK_TABLES } from "./renew-sql.ts";

export interface RenewOptions {
	/** For a rehearsal: partners must receive no webhooks from it. */
	readonly withoutWebhooks: boolean;
}

/**
 * Renews, in the caller's transaction, everything by which callers and nodes could recognise data from after the
 * backup: numbers of lists, versions of orders and boxes, and the stamps that caches are validated by. `there` maps
 * each existing table to its columns. Returns how many webhook endpoints were stopped; null if `withoutWebhooks` was
 * not set.
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
	if (!WEBHOOK_TABLES.every((name) => there.has(name))) return 0; // a backup from before webhooks existed
	const { rows } = await tx.query<{ stopped: number }>(STOP_WEBHOOKS);
	return rows[0]?.stopped ?? 0;
}
