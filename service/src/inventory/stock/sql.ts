import { must } from "../../ground/lib/assert.ts";
import type { Stamped } from "../../ground/lib/stamped.ts";
import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { SIGNED, type Signature } from "../../ground/pg/evidence.ts";
import { momentOf, momentOnPrimary } from "../../ground/pg/page.ts";
import { prepared } from "../../ground/pg/query.ts";
import { isOnReplica } from "../../ground/pg/reads.ts";
import { READ_NOW, settledOf } from "../../ground/pg/replayed.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import { currentCoaRows, isCertified } from "../certificates/certified-sql.ts";
import type { Lot } from "./lot.ts";
import { commonPools, type Shelves } from "./shelves.ts";

/*
 * A transaction locks all its lots in one statement, by id, and always before holds. So transactions may wait for each
 * other's rows, but never deadlock.
 *
 * The lookups below are lateral joins with `offset 0`, which fix the plan: from the arrays into an index, however new
 * the tables are and whatever their statistics say.
 */

/** Each column read costs time: rare quantities share one (null if all 0), and `received` is derived. */
export const LOT_COLUMNS = `l.fg_id, l.formula_id, l.pool_id, l.batch_number, l.expires_on, l.received_on,
	l.available, l.held, l.allocated, l.consumed, l.shipped,
	case when (l.corrected, l.quarantined, l.destroyed) <> (0, 0, 0) or l.recalled_at is not null
	     then array[l.corrected, l.quarantined, l.destroyed, (l.recalled_at is not null)::int] end`;

export type LotRow = [
	fgId: string,
	formulaId: string,
	poolId: number,
	batchNumber: string,
	expiresOn: string | null,
	receivedOn: string,
	available: number,
	held: number,
	allocated: number,
	consumed: number,
	shipped: number,
	/** Corrected, quarantined, destroyed, and 1 if recalled; null if all are 0. */
	rare: number[] | null,
];

/** The formulas; the pools if they are the same for all; otherwise the pools of each as PostgreSQL array literals. */
export function shelfColumns(shelves: Shelves): [formulaIds: string, common: string | null, pools: string] {
	const common = commonPools(shelves);
	const each = common === null ? [...shelves.values()].map(plainArray) : [];
	return [plainArray([...shelves.keys()]), common === null ? null : plainArray(common), textArray(each)];
}

export function toLot(row: LotRow): Lot {
	const [fgId, formulaId, poolId, batchNumber, expiresOn, receivedOn, ...units] = row;
	const [available, held, allocated, consumed, shipped, rare] = units;
	const [corrected = 0, quarantined = 0, destroyed = 0, recalled = 0] = rare ?? NONE;
	// the CHECK lot_conserves_units guarantees this sum
	const received = available + held + allocated + consumed + shipped + quarantined + destroyed - corrected;
	return {
		fgId,
		formulaId,
		poolId,
		batchNumber,
		expiresOn,
		receivedOn,
		received,
		corrected,
		available,
		held,
		allocated,
		consumed,
		shipped,
		quarantined,
		destroyed,
		recalled: recalled === 1,
	};
}
const NONE: readonly number[] = [];

/** Ids of lots by batch number on their shelf; new batches have none. */
export const findBatchIds = prepared<[fgId: string]>(
	"find_batches",
	`select l.fg_id from unnest($1::uuid[], $2::int[], $3::text[]) b(formula_id, pool_id, batch_number)
	  cross join lateral (
	    select fg_id from lot
	     where formula_id = b.formula_id and pool_id = b.pool_id and batch_number = b.batch_number offset 0) l`,
);

const recalledLots = prepared<[fgId: string, formulaId: string, batchNumber: string]>(
	"select_recalled_lots",
	`select r.fg_id, r.formula_id, r.batch_number
	   from (select unnest($1::uuid[]), unnest($2::text[])
	         union select formula_id, batch_number from lot where fg_id = any($3::uuid[])) b(formula_id, batch_number)
	  cross join lateral (
	    select fg_id, formula_id, batch_number from lot
	     where batch_number = b.batch_number and recalled_at is not null offset 0) r
	  where r.formula_id = b.formula_id`,
);
/** Recalled lots, in every pool, with the formulas and batch numbers of these batches and lots; not locked. */
export const selectRecalledLots = (
	tx: Query,
	batches: readonly Pick<Lot, "formulaId" | "batchNumber">[],
	fgIds: ReadonlySet<string>,
) =>
	recalledLots(tx, [
		plainArray(batches.map(({ formulaId }) => formulaId)),
		textArray(batches.map(({ batchNumber }) => batchNumber)),
		plainArray([...fgIds]),
	]);

/** Ids of every non-empty lot of these lots' formulas. */
export const findSiblingIds = prepared<[fgId: string]>(
	"find_siblings",
	`select l.fg_id from lot l where l.formula_id in (select formula_id from lot where fg_id = any($1::uuid[]))
	    and not l.depleted`,
);

const readLots = prepared<LotRow>(
	"read_siblings",
	`select ${LOT_COLUMNS} from lot l
	  where l.fg_id = any($1::uuid[])
	     or (not l.depleted and l.formula_id in (select formula_id from lot where fg_id = any($1::uuid[])))
	  order by l.fg_id`,
);
/** Reads these lots and every non-empty lot of their formulas without locks, for reports. */
export const readSiblings = (db: Query, fgIds: readonly string[]) => readLots(db, [plainArray(fgIds)]);

const lotIdsOnShelves = prepared<[fgId: string]>(
	"select_lot_ids",
	`select l.fg_id from unnest($1::uuid[], $3::text[]) s(formula_id, pools)
	  cross join lateral (
	    select fg_id from lot
	     where formula_id = s.formula_id and pool_id = any(coalesce($2::int[], s.pools::int[])) and not depleted offset 0) l`,
);
/** Ids of every non-empty lot on these shelves, without locks. */
export const selectLotIds = (tx: Query, shelves: Shelves) => lotIdsOnShelves(tx, shelfColumns(shelves));

/** A row of `selectPromised`: the first has only the stamp, the others everything but the stamp. */
export type PromisedRow =
	| [stamp: string, formulaId: null, poolId: null, units: null]
	| [stamp: null, formulaId: string, poolId: number, units: number];

/** The stamp of promised demand and, if it is not the given one, all promised units with buffers, in one snapshot. */
export const selectPromised = prepared<PromisedRow>(
	"select_promised",
	`with e as materialized (select stamp from demand_epoch)
	 select stamp, null::uuid, null::int, null::bigint from e
	 union all
	 select null, formula_id, pool_id, sum(units)::bigint
	   from (select formula_id, pool_id, units from demand union all select formula_id, pool_id, units from safety_buffer) p
	  where (select stamp <> $1 from e)
	  group by 2, 3`,
);

const selectInstant = prepared<InstantRow>(
	"select_instant",
	`with ${SIGNED}
	 select ${wholeMs("t")}, (t at time zone $3)::date,
	        (select stamp from catalog_epoch), (select stamp from demand_epoch), (select count(*)::int from signed)
	   from clock_timestamp() t`,
);
export type InstantRow = [
	epochMs: number,
	today: string,
	catalogStamp: string,
	demandStamp: string,
	/** Evidence rows written. */
	signed: number,
];
/**
 * The database's clock, to be read after all locks, with the current day in the operator's time zone and the current
 * stamps of catalogue and demand, which validate the caches. The same statement writes the batch's evidence, so that it
 * costs no statement of its own.
 */
export async function readInstant(tx: Query, timeZone: string, signature: Signature | null): Promise<InstantRow> {
	const [row] = await selectInstant(tx, [...(signature?.values ?? [null, null]), timeZone]);
	const instant = must(row, "the instant");
	signature?.signedBy(instant[4]);
	return instant;
}

/**
 * A lower bound on the end of every active hold, where the search for overdue holds starts. A mark ahead of the clock
 * is ignored: the clock must have been set back.
 */
export const SWEPT_TO = "coalesce((select swept_to from sweep_mark where swept_to <= now()), '-infinity')";

/**
 * A row of `selectSnapshot`. The first is the head; each other is a lot, the units that an overdue hold still binds in
 * a lot, or a product's certificate. They share columns because each column costs time.
 */
export type SnapshotRow = [
	/** 1-based index into the requested formulas or slugs; 0 for the head. */
	place: number,
	/** Null: a certificate. */
	poolId: number | null,
	/** Free units; the units bound to an overdue hold count as free. */
	available: number,
	/** Held and allocated units of a lot; for an overdue hold, its units as a negative number. */
	bound: number,
	/** The current day for the head; otherwise the lot's expiry. */
	day: string | null,
	/** Head: both instants and stamps; lot: quarantined units or null; certificate: batch number. */
	more: string | null,
];

/** Both stamps, formatted as in a head. */
export const stampsOf = (catalog: Stamped, promised: Stamped): string => `${catalog.stamp} ${promised.stamp}`;

/** The highest number of a page without an upper end. */
const NOTHING_LEFT_OUT = Number.MAX_SAFE_INTEGER;

interface SnapshotKind {
	/** Lots need a current certificate to have free units. */
	readonly certified: boolean;
	/** Includes products' certificates. */
	readonly coa: boolean;
	/** Reads what the replica shows. Checks do not, which is quicker. */
	readonly onReplica: boolean;
}

function snapshotText({ certified, coa, onReplica }: SnapshotKind): string {
	const now = onReplica ? READ_NOW : "now()";
	const moment = (onReplica ? momentOf : momentOnPrimary)("catalog_epoch");
	const settled = onReplica ? `coalesce(${settledOf("catalog_epoch")}, ${NOTHING_LEFT_OUT})` : NOTHING_LEFT_OUT;
	return `select 0, 0, 0, 0, (${now} at time zone $4)::date,
	        concat_ws(' ', ${wholeMs(now)}, ${moment}, ${settled},
	                  (select stamp from catalog_epoch), (select stamp from demand_epoch))
	 union all
	 select s.n::int, l.pool_id, ${certified ? `case when ${isCertified("l")} then l.available else 0 end` : "l.available"},
	        l.held + l.allocated, l.expires_on, nullif(l.quarantined, 0)::text
	   from unnest($1::uuid[], $3::text[]) with ordinality s(formula_id, pools, n)
	  cross join lateral (
	    select * from lot where formula_id = s.formula_id and pool_id = any(coalesce($2::int[], s.pools::int[])) and not depleted
	    offset 0) l
	 union all
	 select s.n::int, l.pool_id, p.units, -p.units, l.expires_on, null
	   from hold h
	  cross join lateral (
	    select fg_id, units from hold_part where reservation_token = h.reservation_token and own_state is null offset 0) p
	  cross join lateral (
	    select formula_id, batch_number, pool_id, expires_on from lot where fg_id = p.fg_id and recalled_at is null offset 0) l
	   join unnest($1::uuid[]) with ordinality s(formula_id, n) on s.formula_id = l.formula_id
	  where h.ended_at is null and h.expires_at <= ${now} and h.expires_at >= ${SWEPT_TO}${certified ? ` and ${isCertified("l")}` : ""}${
			coa ? ` union all${currentCoaRows(5)}` : ""
		}`;
}

const snapshotStatement = (kind: SnapshotKind) => {
	const parts = [kind.certified ? "_certified" : "", kind.coa ? "_coa" : "", kind.onReplica ? "_replica" : ""];
	return prepared<SnapshotRow>(`select_snapshot${parts.join("")}`, snapshotText(kind));
};
/** By the number of `snapshotNumber`. */
const SNAPSHOTS = [false, true].flatMap((onReplica) =>
	[false, true].flatMap((coa) => [false, true].map((certified) => snapshotStatement({ certified, coa, onReplica }))),
);
const snapshotNumber = ({ certified, coa, onReplica }: SnapshotKind): number =>
	Number(certified) + 2 * Number(coa) + 4 * Number(onReplica);

/**
 * Reads shelves in one statement, so in one snapshot: the head, then each non-empty lot, then lapsed holds (few, thanks
 * to the sweep), then the certificates of these products. `certified`: lots without a current certificate have no free
 * units.
 */
export function selectSnapshot(
	db: Query,
	shelves: Shelves,
	{ timeZone, slugs, certified }: { timeZone: string; slugs: readonly string[]; certified: boolean },
): Promise<SnapshotRow[]> {
	const values = [...shelfColumns(shelves), timeZone];
	const coa = slugs.length > 0;
	const select = must(SNAPSHOTS[snapshotNumber({ certified, coa, onReplica: isOnReplica(db) })], "the statement");
	return select(db, coa ? [...values, textArray(slugs)] : values);
}

export interface SnapshotHead {
	/** YYYY-MM-DD. */
	readonly today: string;
	/** The moment of the counts in epoch milliseconds. */
	readonly asOf: number;
	/** The catalogue's moment, from `momentOf`. */
	readonly catalogAsOf: number;
	/** The catalogue's highest number that a page may have; on a replica from `settledOf`. */
	readonly catalogSettled: number;
	readonly stamps: string;
}
export function toHead([_place, _poolId, _available, _bound, day, more]: SnapshotRow): SnapshotHead {
	const [asOf, catalogAsOf, catalogSettled, ...stamps] = must(more, "the instants and the stamps").split(" ");
	return {
		today: must(day, "the day"),
		asOf: Number(asOf),
		catalogAsOf: Number(catalogAsOf),
		catalogSettled: Number(catalogSettled),
		stamps: stamps.join(" "),
	};
}
