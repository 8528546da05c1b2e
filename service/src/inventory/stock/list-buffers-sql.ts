import type { Query } from "../../ground/pg/connect.ts";

interface ListedBuffer {
	/** The formula's code. */
	readonly formula: string;
	readonly brandCode: string | null;
	readonly units: number;
}
export const selectAllBuffers = async (db: Query): Promise<ListedBuffer[]> =>
	(
		await db.query<ListedBuffer>(
			`select f.code as formula, p.brand_code as "brandCode", b.units
			   from safety_buffer b join formula f using (formula_id) join pool p using (pool_id) order by 1, 2 nulls last`,
		)
	).rows;
