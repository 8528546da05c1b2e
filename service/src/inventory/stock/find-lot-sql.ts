import type { Query } from "../../ground/pg/connect.ts";
import type { ListedLot } from "./list-lots-sql.ts";

export type LotOfBatch = Pick<ListedLot, "fgId" | "batchNumber" | "formula" | "brandCode" | "sandboxOf">;

/** Lots of every pool with this batch number, ignoring differences in capitals, blanks, hyphens and dots. */
export const selectLotsOfBatch = async (db: Query, batchNumber: string): Promise<LotOfBatch[]> =>
	(
		await db.query<LotOfBatch>(
			`select l.fg_id as "fgId", l.batch_number as "batchNumber", f.code as formula, p.brand_code as "brandCode",
			        r.name as "sandboxOf"
			   from lot l join formula f using (formula_id) join pool p using (pool_id)
			   left join partner r on r.partner_id = p.partner_id
			  where batch_spelling(l.batch_number) = batch_spelling($1) order by f.code, p.brand_code nulls first, r.name nulls first`,
			[batchNumber],
		)
	).rows;

export interface TypedBatch {
	readonly formula: string;
	readonly batchNumber: string;
}

/** A batch of the same formula whose number differs only in capitals, blanks, hyphens or dots. */
export interface MisspeltBatch {
	readonly index: number;
	readonly meant: string;
}

/** Those of these batches that do not exist but nearly match one that does. */
export const selectMisspeltBatches = async (db: Query, batches: readonly TypedBatch[]): Promise<MisspeltBatch[]> =>
	(
		await db.query<MisspeltBatch>(
			`select t.n::int - 1 as index, min(l.batch_number) as meant
			   from unnest($1::text[], $2::text[]) with ordinality t(formula, batch_number, n)
			   join formula f on f.code = t.formula
			   join lot l on l.formula_id = f.formula_id and batch_spelling(l.batch_number) = batch_spelling(t.batch_number)
			  group by t.n having not bool_or(l.batch_number = t.batch_number) order by t.n`,
			[batches.map(({ formula }) => formula), batches.map(({ batchNumber }) => batchNumber)],
		)
	).rows;

/** The batch of each of these lots that exists, by its `fg_id`. */
export async function selectBatchesOf(db: Query, fgIds: readonly string[]) {
	const { rows } = await db.query<{ fgId: string; batchNumber: string; isRecalled: boolean }>(
		`select fg_id as "fgId", batch_number as "batchNumber", recalled_at is not null as "isRecalled" from lot
		  where fg_id = any($1::uuid[])`,
		[fgIds],
	);
	return new Map(rows.map(({ fgId, ...batch }) => [fgId, batch]));
}
