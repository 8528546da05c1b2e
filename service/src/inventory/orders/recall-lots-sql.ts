import { SANDBOX_POOL_ID } from "../../glossary.ts";
import { prepared } from "../../ground/pg/query.ts";

/**
 * The lot of this id, or the lots with this batch number: of this formula's code or of any, or of the formulas of this
 * product alone; never the sandbox's.
 */
export const selectLotsToRecall = prepared<[fgId: string]>(
	"select_lots_to_recall",
	`select l.fg_id from lot l join formula f using (formula_id)
	  where (l.fg_id = $1::uuid or (l.batch_number = $2::text and ($3::text is null or f.code = $3)
	                                 and ($4::text is null or l.formula_id in (
	                                   select k.formula_id from sku s join sku_component k using (sku) where s.slug = $4)))) and l.pool_id <> ${SANDBOX_POOL_ID}
	  order by l.fg_id`,
);
