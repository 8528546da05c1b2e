import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";

export interface ListedDemand {
	/** The source that reported it, such as the name of a label platform; null: the operator entered it. */
	readonly source: string | null;
	/** Includes the source if it has one. */
	readonly reference: string;
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	readonly units: number;
	readonly since: Date;
}

export interface DemandFilter {
	/** Null: any. */
	readonly reference: string | null;
	/** A formula's code; null: every formula. */
	readonly formula: string | null;
	/** A brand's code; null: every pool. */
	readonly brand: string | null;
}

/** At most `limit` entries of demand from any source, oldest first. Safety buffers are not included. */
export const listDemand = (db: Query, { reference, formula, brand }: DemandFilter, limit: number) =>
	firstRows(limit, (most) =>
		db.query<ListedDemand>(
			`select d.source, d.reference, f.code as formula, p.brand_code as "brandCode", d.units, d.created_at as since
			   from demand d join formula f using (formula_id) join pool p using (pool_id)
			  where ($1::text is null or d.reference = $1) and ($2::text is null or f.code = $2) and ($3::text is null or p.brand_code = $3)
			  order by d.created_at, d.reference, f.code, p.brand_code nulls last limit $4`,
			[reference, formula, brand, most],
		),
	);
