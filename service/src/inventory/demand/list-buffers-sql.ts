import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { SafetyBuffer } from "../stock/set-buffers.ts";

export interface BufferFilter {
	/** A formula's code; null: every formula. */
	readonly formula: string | null;
	/** A brand's code; null: every pool. */
	readonly brand: string | null;
	/** Only buffers after this one; null: from the beginning. `brandCode` "": the shared stock. */
	readonly after: { readonly formula: string; readonly brandCode: string } | null;
}

/** At most `limit` safety buffers by formula and brand (the shared stock last). */
export const listBuffers = (db: Query, { formula, brand, after }: BufferFilter, limit: number) =>
	firstRows(limit, (most) =>
		db.query<SafetyBuffer>(
			`select f.code as formula, p.brand_code as "brandCode", b.units
			   from safety_buffer b join formula f using (formula_id) join pool p using (pool_id)
			  where ($1::text is null or f.code = $1) and ($2::text is null or p.brand_code = $2)
			    and ($3::text is null
			         or (f.code, p.brand_code is null, coalesce(p.brand_code, '')) > ($3, $4::text = '', $4::text))
			  order by f.code, p.brand_code is null, coalesce(p.brand_code, '') limit $5`,
			[formula, brand, after?.formula ?? null, after?.brandCode ?? null, most],
		),
	);
