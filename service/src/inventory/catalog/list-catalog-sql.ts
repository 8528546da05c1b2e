import type { Query } from "../../ground/pg/connect.ts";

export interface ListedBrand {
	readonly code: string;
	readonly name: string;
}
export const selectAllBrands = async (db: Query): Promise<ListedBrand[]> =>
	(await db.query<ListedBrand>("select brand_code as code, name from pool where brand_code is not null order by 1"))
		.rows;

export interface ListedFormula {
	readonly code: string;
	readonly name: string;
	readonly status: string;
	/** SKUs made of it. */
	readonly skus: number;
}
export const selectAllFormulas = async (db: Query): Promise<ListedFormula[]> =>
	(
		await db.query<ListedFormula>(
			`select f.code, f.name, f.status, count(c.sku)::int as skus from formula f left join sku_component c using (formula_id)
			  group by f.formula_id order by f.code`,
		)
	).rows;

export interface ListedSku {
	readonly sku: string;
	readonly name: string;
	readonly kind: string;
	readonly product: string | null;
	readonly components: readonly { readonly formula: string; readonly perKit: number }[];
}
export const selectAllSkus = async (db: Query): Promise<ListedSku[]> =>
	(
		await db.query<ListedSku>(
			`select s.sku, s.name, s.kind, s.slug as product,
			        coalesce(jsonb_agg(jsonb_build_object('formula', f.code, 'perKit', c.per_kit) order by c.position)
			                 filter (where f.code is not null), '[]') as components
			   from sku s left join sku_component c using (sku) left join formula f using (formula_id)
			  group by s.sku order by s.sku`,
		)
	).rows;

export const selectFormulaId = async (db: Query, code: string): Promise<string | null> => {
	const { rows } = await db.query<{ id: string }>("select formula_id as id from formula where code = $1", [code]);
	return rows[0]?.id ?? null;
};

/** The most codes to compare an unknown code with: more would take seconds. */
const MAX_CODES = 100_000;
const CODES = {
	brands: "select brand_code as name from pool where brand_code is not null",
	formulas: "select code as name from formula",
	products: "select slug as name from product",
	skus: "select sku as name from sku",
} as const;
export const selectCodes = async (db: Query, kind: keyof typeof CODES): Promise<string[]> =>
	(await db.query<{ name: string }>(`${CODES[kind]} order by 1 limit ${MAX_CODES}`)).rows.map(({ name }) => name);

export const selectPoolId = async (db: Query, brandCode: string): Promise<number | null> => {
	const { rows } = await db.query<{ id: number }>("select pool_id as id from pool where brand_code = $1", [brandCode]);
	return rows[0]?.id ?? null;
};
