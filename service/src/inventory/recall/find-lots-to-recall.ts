import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noLotOfBatch } from "../stock/find-lot.ts";
import { selectLotsOfBatch } from "../stock/find-lot-sql.ts";
import { selectLotsToRecall } from "./sql.ts";

/** The lots to recall: one lot, or a batch number in every pool but the sandbox's, of one formula or of all. */
export type RecallTarget =
	| { readonly fgId: string }
	| {
			readonly batchNumber: string;
			/** A formula's code; null: every formula. */
			readonly formula: string | null;
			/** A product's slug: only lots covered by its certificate of this batch. Null: all. */
			readonly slug: string | null;
	  };

/** The lots to recall; at least one. */
export async function findLotsToRecall(
	db: Query,
	target: RecallTarget,
): Promise<readonly string[] | Refusal<"not_found">> {
	const rows = await selectLotsToRecall(
		db,
		"fgId" in target ? [target.fgId, null, null, null] : [null, target.batchNumber, target.formula, target.slug],
	);
	if (rows.length > 0) return rows.map(([fgId]) => fgId);
	if ("fgId" in target) return refuse("not_found", `There is no lot ${target.fgId}.`);
	const { batchNumber, formula } = target;
	const of = formula === null ? "" : ` of formula ${JSON.stringify(formula)}`;
	return noLotOfBatch(batchNumber, await selectLotsOfBatch(db, batchNumber), of);
}
