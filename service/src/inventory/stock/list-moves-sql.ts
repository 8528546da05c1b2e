import type { Query } from "../../ground/pg/connect.ts";

/** A ledger entry, for the operator. */
export interface ListedMove {
	/** Its number in the ledger, in the order of writing. */
	readonly seq: number;
	readonly at: Date;
	readonly fgId: string;
	readonly batchNumber: string;
	readonly brandCode: string | null;
	/** A bucket, or the outside world: `received` or `corrected`. */
	readonly from: string;
	readonly to: string;
	readonly units: number;
	readonly cause: string;
	/** What the command was about, such as a reservation token, or the operator's reason. */
	readonly causeId: string | null;
	readonly actor: string;
	readonly requestId: string | null;
}

/** The latest `limit` moves of these lots, newest first. */
export const selectMoves = (db: Query, fgIds: readonly string[], limit: number) =>
	db.query<ListedMove>(
		`select m.seq, m.at, m.fg_id as "fgId", l.batch_number as "batchNumber", p.brand_code as "brandCode", m.from_bucket as "from",
		        m.to_bucket as "to", m.units, m.cause, m.cause_id as "causeId", m.actor, m.request_id as "requestId"
		   from (select * from unit_move where fg_id = any($1::uuid[]) order by seq desc limit $2) m
		   join lot l using (fg_id) join pool p using (pool_id)
		  order by m.seq desc`,
		[fgIds, limit],
	);

/** Ids of the lots of a formula in every pool or in one. */
export async function selectLotIds(db: Query, formulaId: string, poolId: number | null): Promise<string[]> {
	const { rows } = await db.query<{ id: string }>(
		"select fg_id as id from lot where formula_id = $1 and ($2::int is null or pool_id = $2)",
		[formulaId, poolId],
	);
	return rows.map(({ id }) => id);
}

export async function lotExists(db: Query, fgId: string): Promise<boolean> {
	const { rows } = await db.query("select from lot where fg_id = $1", [fgId]);
	return rows.length > 0;
}
