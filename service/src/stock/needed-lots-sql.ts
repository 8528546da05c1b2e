import { plainArray } from "../pg/array.ts";
import { KEPT, YOUNG } from "../pg/kept-locks.ts";
import { prepared, type Statement } from "../pg/query.ts";
import type { StockNeeds } from "./needs.ts";
import { LOT_COLUMNS, type LotRow, shelfColumns } from "./sql.ts";

/** One way in which a batch needs lots, as SQL that gives their ids. N: the needs that it reads. */
export interface LotSource<N> {
	/** Its parameters are numbered from `first`. */
	text(first: number): string;
	/** The parameters; there are always as many. */
	values(needs: N): readonly unknown[];
	/** Does the batch need any such lot? */
	isAsked(needs: N): boolean;
}

/** Lots with units in them on the needed shelves. */
export const lotsOnShelves: LotSource<StockNeeds> = {
	text: (first) => `
	    select x.fg_id from unnest($${first}::uuid[], $${first + 2}::text[]) s(formula_id, pools)
	     cross join lateral (
	      select fg_id from lot
	       where formula_id = s.formula_id and pool_id = any(coalesce($${first + 1}::int[], s.pools::int[])) and not depleted offset 0) x`,
	values: ({ shelves }) => shelfColumns(shelves),
	isAsked: ({ shelves }) => shelves.size > 0,
};

/** Lots that are needed by their id. */
export const namedLots: LotSource<StockNeeds> = {
	text: (first) => `
	    select unnest($${first}::uuid[])`,
	values: ({ fgIds }) => [plainArray([...fgIds])],
	isAsked: ({ fgIds }) => fgIds.size > 0,
};

/** The statements over all lots that a batch needs, from every source. */
export interface NeededLots<N> {
	isAsked(needs: N): boolean;
	/** Of `lock` and `keptLocked`. */
	values(needs: N): unknown[];
	readonly lock: Statement<LotRow>;
	/** Those that somebody keeps locked. */
	readonly keptLocked: Statement<[fgId: string, formulaId: string, poolId: number]>;
}

/** `none`: needs that ask for nothing, to count the parameters by. */
export function neededLots<N>(sources: readonly LotSource<N>[], none: N): NeededLots<N> {
	let first = 1;
	const texts = sources.map((source) => {
		const text = source.text(first);
		first += source.values(none).length;
		return text;
	});
	const needed = texts.join("\n\t    union all");
	return {
		isAsked: (needs) => sources.some((source) => source.isAsked(needs)),
		values: (needs) => sources.flatMap((source) => source.values(needs)),
		// one scan of the index of ids, in the order in which they are to be locked: nothing to sort, and since PostgreSQL 17 half the
		// work of a descent for each lot
		lock: prepared(
			"lock_lots",
			`select ${LOT_COLUMNS} from lot l where l.fg_id = any(array(${needed})) order by l.fg_id for update`,
		),
		keptLocked: prepared(
			"select_blocked_lots",
			`with ${YOUNG},
	      needed as materialized (select distinct fg_id from (${needed}) n(fg_id)),
	      free as materialized (
	        select l.fg_id from lot l where l.fg_id = any(array(select fg_id from needed)) for update skip locked)
	 select l.fg_id, l.formula_id, l.pool_id from lot l
	  where l.fg_id = any(array(select fg_id from needed)) and l.fg_id <> all(array(select fg_id from free)) and l.${KEPT}`,
		),
	};
}
