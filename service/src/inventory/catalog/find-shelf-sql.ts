import type { Query } from "../../ground/pg/connect.ts";

export const selectFormulaId = async (db: Query, code: string): Promise<string | null> => {
	const { rows } = await db.query<{ id: string }>("select formula_id as id from formula where code = $1", [code]);
	return rows[0]?.id ?? null;
};

export const selectPoolId = async (db: Query, brandCode: string): Promise<number | null> => {
	const { rows } = await db.query<{ id: number }>("select pool_id as id from pool where brand_code = $1", [brandCode]);
	return rows[0]?.id ?? null;
};
