import type { Query } from "../../ground/pg/connect.ts";
import type { Lot } from "./lot.ts";
import { RecalledBatches } from "./recalled.ts";
import { selectRecalledLots } from "./sql.ts";

/** Those of these batches of which a lot is recalled in any pool. Locks nothing. */
export async function findRecalledBatches(
	db: Query,
	batches: readonly Pick<Lot, "formulaId" | "batchNumber">[],
): Promise<RecalledBatches> {
	const recalled = new RecalledBatches();
	for (const [fgId, formulaId, batchNumber] of await selectRecalledLots(db, batches, new Set()))
		recalled.add({ fgId, formulaId, batchNumber });
	return recalled;
}
