import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";

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
	/** Its place in the list, as text. */
	readonly place: string;
}

export interface DemandFilter {
	/** Null: any. */
	readonly reference?: string | null | undefined;
	/** A formula's code; null: every formula. */
	readonly formula?: string | null | undefined;
	/** A brand's code; null: every pool. */
	readonly brand?: string | null | undefined;
	/** A part of the reference, the source, or the code or name of the formula; null: any. */
	readonly q?: string | null | undefined;
	/** Only entries after this one in the order of the list; null: from the beginning. */
	readonly after?: DemandPlace | null | undefined;
}

/** The place of an entry in the list: microseconds since 1970, formula, pool and reference. */
export interface DemandPlace {
	readonly micros: string;
	readonly formulaId: string;
	readonly poolId: string;
	readonly reference: string;
}

/** The format of `ListedDemand.place`. */
const PLACE = /^(\d{1,16}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,9}) ([^]+)$/;

/** Parses the place of an entry; null: the text is not a place. */
export function readPlace(text: string): DemandPlace | null {
	const [, micros, formulaId, poolId, reference] = PLACE.exec(text) ?? [];
	if (micros === undefined || formulaId === undefined || poolId === undefined || reference === undefined) return null;
	return { micros, formulaId, poolId, reference };
}

const DEMAND = `d.source, d.reference, f.code as formula, p.brand_code as "brandCode", d.units, d.created_at as since,
	(extract(epoch from d.created_at) * 1000000)::bigint || ' ' || d.formula_id || ' ' || d.pool_id || ' ' || d.reference as place
	from demand d join formula f using (formula_id) join pool p using (pool_id)`;

/** At most `limit` entries of demand from any source, oldest first. Safety buffers are not included. */
export const listDemand = (db: Query, { reference, formula, brand, q, after }: DemandFilter, limit: number) =>
	firstRows(limit, (most) =>
		db.query<ListedDemand>(
			`select ${DEMAND}
			  where ($1::text is null or d.reference = $1) and ($2::text is null or f.code = $2) and ($3::text is null or p.brand_code = $3)
			    and ($4::text is null or d.reference ilike $4 or d.source ilike $4 or f.code ilike $4 or f.name ilike $4)
			    and ($5::bigint is null or (d.created_at, d.formula_id, d.pool_id, d.reference)
			         > ('epoch'::timestamptz + $5::bigint * interval '1 microsecond', $6::uuid, $7::int, $8::text))
			  order by d.created_at, d.formula_id, d.pool_id, d.reference limit $9`,
			[
				reference,
				formula,
				brand,
				q && contains(q),
				after?.micros,
				after?.formulaId,
				after?.poolId,
				after?.reference,
				most,
			],
		),
	);

/** All demand under a reference, by formula and brand (the shared stock last). */
export const selectDemandOf = async (db: Query, reference: string): Promise<ListedDemand[]> =>
	(
		await db.query<ListedDemand>(`select ${DEMAND} where d.reference = $1 order by f.code, p.brand_code nulls last`, [
			reference,
		])
	).rows;

/** Locks demand: nobody else can change it until the transaction ends. */
export const lockDemand = (tx: Query) => tx.query("select from demand_epoch for update");
