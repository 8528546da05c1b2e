import type pg from "pg";
import type { DemandFact } from "./demand.ts";

/** In-date units of a formula in a pool, summed over its lots. */
export interface ShelfFact {
	readonly formula: string;
	/** Null: the shared stock. */
	readonly brand: string | null;
	readonly free: number;
	readonly held: number;
	readonly allocated: number;
	readonly consumed: number;
	readonly shipped: number;
}

/** The ledger's moves for one errand: units moved under its mark, and their number. */
export interface MarkFact {
	readonly mark: string;
	/** Cause in the ledger: receive, correct, quarantine, restore. */
	readonly cause: string;
	/** Units that became good, minus those that ceased to be. */
	readonly units: number;
}

export interface StockFacts {
	readonly shelves: readonly ShelfFact[];
	readonly marks: readonly MarkFact[];
	/** Demand that operators entered. */
	readonly demand: readonly DemandFact[];
	/** Units received in total, by batch. */
	readonly batches: readonly { readonly batch: string; readonly units: number; readonly lots: number }[];
}

const SHELVES = `
	select f.code as formula, p.brand_code as brand, sum(l.available)::int as free, sum(l.held)::int as held,
	       sum(l.allocated)::int as allocated, sum(l.consumed)::int as consumed, sum(l.shipped)::int as shipped
	  from lot l join formula f using (formula_id) join pool p using (pool_id)
	 where (l.expires_on is null or l.expires_on >= current_date) and p.brand_code is distinct from 'SANDBOX'
	 group by 1, 2`;
const MARKS = `
	select cause_id as mark, cause,
	       coalesce(sum(case when to_bucket = 'quarantined' or to_bucket = 'corrected' then -units
	                         when from_bucket = 'quarantined' or from_bucket = 'corrected' then units end), 0)::int as units
	  from unit_move where cause in ('correct', 'quarantine', 'restore') group by 1, 2`;
// an import gives each lot of its file a batch of its own, which begins with the file's mark
const BATCHES = `
	select regexp_replace(batch_number, '^(file-[0-9]+)-[0-9]+$', '\\1') as batch, sum(received)::int as units, count(*)::int as lots
	  from lot where batch_number ~ '^(in|file)-' group by 1`;
const DEMAND = `
	select d.reference, f.code as formula, p.brand_code as brand, d.units
	  from demand d join formula f using (formula_id) join pool p using (pool_id) where d.reference like 'elsewhere-%'`;

export async function lookUpStock(db: pg.Pool): Promise<StockFacts> {
	const shelves = await db.query<ShelfFact>(SHELVES);
	const marks = await db.query<MarkFact>(MARKS);
	const batches = await db.query<StockFacts["batches"][number]>(BATCHES);
	const demand = await db.query<DemandFact>(DEMAND);
	return { shelves: shelves.rows, marks: marks.rows, batches: batches.rows, demand: demand.rows };
}
