import type { Database } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import { checkChain, selectAuditHead } from "./audit-list-sql.ts";

/** Rows checked by one statement. */
const ROWS_AT_ONCE = 10_000;

export interface AuditVerdict {
	readonly rows: number;
	/** The number of the first row that is missing or changed; null: the chain is intact. */
	readonly brokenAt: number | null;
}

/** Checks the whole audit log as of one moment: nothing was changed, removed, swapped or added. */
export const verifyAudit = (db: Database): Promise<AuditVerdict> =>
	snapshot(db, async (tx) => {
		const head = await selectAuditHead(tx);
		let [rows, after, hash] = [0, 0, head.first];
		for (;;) {
			const stretch = await checkChain(tx, after, hash, ROWS_AT_ONCE);
			if (stretch === null) break;
			rows += stretch.rows;
			if (stretch.broken !== null) return { rows, brokenAt: stretch.broken };
			[after, hash] = [stretch.last, stretch.hash];
		}
		const isWhole = after === head.seq && hash.equals(head.hash);
		return { rows, brokenAt: isWhole ? null : Math.min(after, head.seq) + 1 };
	});
