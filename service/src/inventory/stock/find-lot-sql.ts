import type { Query } from "../../ground/pg/connect.ts";

export interface LotOfBatch {
	readonly fgId: string;
	readonly batchNumber: string;
	/** Code of its formula. */
	readonly formula: string;
	/** Null: of the shared stock. */
	readonly brandCode: string | null;
}

/** Lots of every pool with this batch number, also where it differs in capitals, blanks, hyphens or dots. */
export const selectLotsOfBatch = async (db: Query, batchNumber: string): Promise<LotOfBatch[]> =>
	(
		await db.query<LotOfBatch>(
			`select l.fg_id as "fgId", l.batch_number as "batchNumber", f.code as formula, p.brand_code as "brandCode"
			   from lot l join formula f using (formula_id) join pool p using (pool_id)
			  where batch_spelling(l.batch_number) = batch_spelling($1) order by f.code, p.brand_code nulls first`,
			[batchNumber],
		)
	).rows;
