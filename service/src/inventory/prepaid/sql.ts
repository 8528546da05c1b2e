import type { Query } from "../../ground/pg/connect.ts";
import { prepared } from "../../ground/pg/query.ts";
import { wholeMs } from "../../ground/pg/table.ts";

/* The mirror of prepaid units, by brand. Informational: nothing that counts or decides reads it. */

/** Prepaid units of these formulas, by formula; formulas not in the mirror are left out. */
export const selectPrepaid = prepared<[formulaId: string, units: number]>(
	"select_prepaid",
	`select formula_id, sum(prepaid_units)::bigint from prepaid_item
	  where pool_id = $1 and formula_id = any($2::uuid[]) group by formula_id`,
);

export interface MirrorRow {
	readonly sequence: number;
	/** Epoch milliseconds. */
	readonly mirroredAtMs: number;
	readonly items: number;
}

/**
 * Locks a brand's mirror and sets this sequence; returns no row if the stored sequence is already as high. Of two
 * racing requests, the second waits for the first and compares with the sequence it wrote.
 */
export const advanceMirror = (tx: Query, poolId: number, sequence: number, asOf: string) =>
	tx.query(
		`insert into prepaid_mirror as kept (pool_id, sequence, as_of, mirrored_at) values ($1, $2, $3, clock_timestamp())
		 on conflict (pool_id) do update
		    set sequence = excluded.sequence, as_of = excluded.as_of, mirrored_at = excluded.mirrored_at
		  where kept.sequence < excluded.sequence
		 returning pool_id`,
		[poolId, sequence, asOf],
	);

export const clearMirror = async (tx: Query, poolId: number): Promise<number> =>
	(await tx.query("delete from prepaid_item where pool_id = $1", [poolId])).rowCount ?? 0;

/** A stored item; quantities in units. */
export interface MirrorItem {
	readonly formulaId: string;
	/** The SKU that the push named, or null if it named the formula. */
	readonly sku: string | null;
	readonly prepaidUnits: number;
	readonly usedUnits: number | null;
}

export const insertMirrorItems = (tx: Query, poolId: number, items: readonly MirrorItem[]) =>
	tx.query(
		`insert into prepaid_item (pool_id, formula_id, sku, prepaid_units, used_units)
		 select $1, * from jsonb_to_recordset($2::jsonb) n("formulaId" uuid, sku text, "prepaidUnits" int, "usedUnits" int)`,
		[poolId, JSON.stringify(items)],
	);

export async function selectMirror(tx: Query, poolId: number): Promise<MirrorRow | undefined> {
	const { rows } = await tx.query<MirrorRow>(
		`select sequence, ${wholeMs("mirrored_at")} as "mirroredAtMs",
		        (select count(*) from prepaid_item i where i.pool_id = m.pool_id) as items
		   from prepaid_mirror m where pool_id = $1`,
		[poolId],
	);
	return rows[0];
}
