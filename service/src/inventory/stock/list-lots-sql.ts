import type { Bucket } from "../../glossary.ts";
import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";

/** A lot with its units by bucket, for the operator. */
export interface ListedLot extends Readonly<Record<Bucket, number>> {
	readonly fgId: string;
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	readonly batchNumber: string;
	/** YYYY-MM-DD; null: never expires. */
	readonly expiresOn: string | null;
	/** YYYY-MM-DD. */
	readonly receivedOn: string;
	readonly inDate: boolean;
	/** Its place in the warehouse; null: unknown. */
	readonly location: string | null;
	readonly received: number;
	readonly corrected: number;
	readonly recalledAt: Date | null;
}

const LOT = `l.fg_id as "fgId", f.code as formula, p.brand_code as "brandCode", l.batch_number as "batchNumber",
	l.expires_on as "expiresOn", l.received_on as "receivedOn",
	coalesce(l.expires_on >= (now() at time zone $1)::date, true) as "inDate", l.location, l.received, l.corrected, l.available,
	l.held, l.allocated, l.consumed, l.shipped, l.quarantined, l.destroyed, l.recalled_at as "recalledAt"`;
const LOT_JOINS = "lot l join formula f using (formula_id) join pool p using (pool_id)";

export interface LotFilter {
	/** A formula's code; null: every formula. */
	readonly formula: string | null;
	/** A brand's code; null: every pool. */
	readonly brand: string | null;
	/** Include empty lots. */
	readonly depleted: boolean;
}

/** At most `limit` lots by formula, pool and expiry. `timeZone` decides which are in date. */
export const listLots = (db: Query, timeZone: string, { formula, brand, depleted }: LotFilter, limit: number) =>
	firstRows(limit, (most) =>
		db.query<ListedLot>(
			`select ${LOT} from ${LOT_JOINS}
			  where ($2::text is null or f.code = $2) and ($3::text is null or p.brand_code = $3) and ($4 or not l.depleted)
			  order by f.code, p.brand_code nulls last, l.expires_on nulls last, l.received_on, l.fg_id limit $5`,
			[timeZone, formula, brand, depleted, most],
		),
	);

export const selectLot = (db: Query, timeZone: string, fgId: string) =>
	db.query<ListedLot>(`select ${LOT} from ${LOT_JOINS} where l.fg_id = $2`, [timeZone, fgId]);

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
	/** The command. */
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
