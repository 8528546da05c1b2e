import { plainArray } from "../../ground/pg/array.ts";
import { KEPT, YOUNG } from "../../ground/pg/kept-locks.ts";
import { type OverSources, overSources, type Source } from "../../ground/pg/sources.ts";
import type { StockNeeds } from "./needs.ts";
import { LOT_COLUMNS, type LotRow, shelfColumns } from "./sql.ts";

export const lotsOnShelves: Source<StockNeeds> = {
	text: (first) => `
	    select x.fg_id from unnest($${first}::uuid[], $${first + 2}::text[]) s(formula_id, pools)
	     cross join lateral (
	      select fg_id from lot
	       where formula_id = s.formula_id and pool_id = any(coalesce($${first + 1}::int[], s.pools::int[])) and not depleted offset 0) x`,
	values: ({ shelves }) => shelfColumns(shelves),
	isAsked: ({ shelves }) => shelves.size > 0,
};

export const namedLots: Source<StockNeeds> = {
	text: (first) => `
	    select unnest($${first}::uuid[])`,
	values: ({ fgIds }) => [plainArray([...fgIds])],
	isAsked: ({ fgIds }) => fgIds.size > 0,
};

/** The statements on all lots that a batch needs, whichever source names them (shelves, ids, holds). */
export interface NeededLots<N> {
	readonly lock: OverSources<N, LotRow>;
	/** The lots that another transaction keeps locked. */
	readonly keptLocked: OverSources<N, [fgId: string, formulaId: string, poolId: number]>;
}

export const neededLots = <N>(sources: readonly Source<N>[]): NeededLots<N> => ({
	// One scan of the index of ids in lock order: it needs no sort and, since PostgreSQL 17, half the work of one index
	// descent per lot.
	lock: overSources(
		"lock_lots",
		sources,
		(ids) => `select ${LOT_COLUMNS} from lot l where l.fg_id = any(array(${ids})) order by l.fg_id for update`,
	),
	keptLocked: overSources(
		"select_blocked_lots",
		sources,
		(ids) => `with ${YOUNG},
	      needed as materialized (select distinct fg_id from (${ids}) n(fg_id)),
	      free as materialized (
	        select l.fg_id from lot l where l.fg_id = any(array(select fg_id from needed)) for update skip locked)
	 select l.fg_id, l.formula_id, l.pool_id from lot l
	  where l.fg_id = any(array(select fg_id from needed)) and l.fg_id <> all(array(select fg_id from free)) and l.${KEPT}`,
	),
});
