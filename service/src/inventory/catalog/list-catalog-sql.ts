import type { Query } from "../../ground/pg/connect.ts";

export const selectFormulaId = async (db: Query, code: string): Promise<string | null> => {
	const { rows } = await db.query<{ id: string }>("select formula_id as id from formula where code = $1", [code]);
	return rows[0]?.id ?? null;
};

/** Maximum number of codes that an unknown code is compared with; more would take seconds. */
const MAX_CODES = 100_000;
const CODES = {
	brands: "select brand_code as name from pool where brand_code is not null and partner_id is null",
	formulas: "select code as name from formula",
	products: "select slug as name from product",
	skus: "select sku as name from sku",
} as const;
export const selectCodes = async (db: Query, kind: keyof typeof CODES): Promise<string[]> =>
	(await db.query<{ name: string }>(`${CODES[kind]} order by 1 limit ${MAX_CODES}`)).rows.map(({ name }) => name);

/** The pool of a brand (of SANDBOX: the model pool); null: there is no such brand. */
export const selectPoolId = async (db: Query, brandCode: string): Promise<number | null> => {
	const { rows } = await db.query<{ id: number }>(
		"select pool_id as id from pool where brand_code = $1 and partner_id is null",
		[brandCode],
	);
	return rows[0]?.id ?? null;
};
