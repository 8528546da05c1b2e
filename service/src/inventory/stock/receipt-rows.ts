import type { Rows } from "../../ground/engine/rows.ts";
import { newId } from "../../ground/lib/ids.ts";
import type { BookWithStock } from "./book.ts";
import type { StockNeeds } from "./needs.ts";
import { receiptChanges } from "./receipt.ts";
import { receiptColumns, saveReceipts, selectBlockedReceipts } from "./receipt-sql.ts";

/** Whether another transaction keeps the receipt epoch locked. */
export interface LockedReceipts {
	receipts: boolean;
}

/** Only operator commands name lots, and only they change receipts. */
const mayChangeReceipts = ({ fgIds, batches }: StockNeeds): boolean => fgIds.size > 0 || batches.length > 0;

/** Receipts are derived from moves. The lock of their lot covers them, so they are not locked or read beforehand. */
export const receiptRows: Rows<StockNeeds, BookWithStock, LockedReceipts> = {
	saveNumbered({ stock, now }) {
		const changes = receiptChanges(stock);
		if (changes.length === 0) return null;
		const columns = receiptColumns(
			now,
			changes.map(() => newId()),
			changes,
		);
		return (tx) => saveReceipts(tx, columns);
	},
	async findLocked(tx, needs, locked) {
		locked.receipts = mayChangeReceipts(needs) && (await selectBlockedReceipts(tx, [])).length > 0;
		return locked.receipts;
	},
	conflictsWith: (needs, { receipts }) => receipts && mayChangeReceipts(needs),
};
