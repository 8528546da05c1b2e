import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";
import type { Brand, FormulaEntry, Product, SkuEntry } from "./entries.ts";

/* Pages of the catalogue for operators, each in the order of the codes. */

/** An undefined filter matches every row. */
interface PageOf {
	/** The code of the last row of the previous page; null: this is the first page. */
	readonly after: string | null;
	/** A part of the code or the name. */
	readonly q: string | undefined;
}

const searched = (q: string | undefined): string | null => (q === undefined ? null : contains(q));

export const selectBrandPage = (db: Query, { after, q }: PageOf, most: number) =>
	db.query<Brand>(
		`select brand_code as code, name from pool
		  where brand_code is not null and partner_id is null and ($1::text is null or brand_code > $1)
		    and ($2::text is null or brand_code ilike $2 or name ilike $2)
		  order by brand_code limit $3`,
		[after, searched(q), most],
	);

export type ListedFormula = FormulaEntry & {
	readonly formulaId: string;
	/** Number of SKUs that are made of it. */
	readonly skus: number;
};
export const selectFormulaPage = (
	db: Query,
	{ after, q, status, code }: PageOf & { readonly status?: string | undefined; readonly code?: string },
	most: number,
) =>
	db.query<ListedFormula>(
		`select code, formula_id as "formulaId", name, status,
		        (select count(*)::int from sku_component c where c.formula_id = formula.formula_id) as skus
		   from formula
		  where ($1::text is null or code > $1) and ($2::text is null or code ilike $2 or name ilike $2)
		    and ($3::text is null or status = $3) and ($4::text is null or code = $4)
		  order by code limit $5`,
		[after, searched(q), status ?? null, code ?? null, most],
	);

export const selectProductPage = (db: Query, { after, q }: PageOf, most: number) =>
	db.query<Product>(
		`select slug, name from product
		  where ($1::text is null or slug > $1) and ($2::text is null or slug ilike $2 or name ilike $2)
		  order by slug limit $3`,
		[after, searched(q), most],
	);

export interface SkuFilter {
	readonly kind: string | undefined;
	/** A slug. */
	readonly product: string | undefined;
	/** The code of a formula that the SKU is made of. */
	readonly formula: string | null;
}
export const selectSkuPage = (db: Query, { after, q, kind, product, formula }: PageOf & SkuFilter, most: number) =>
	db.query<Omit<SkuEntry, "testBehaviour">>(
		`select s.sku, s.name, s.slug as product, s.kind, s.vial_size as "vialSize",
		        coalesce((select jsonb_agg(jsonb_build_object('formula', f.code, 'perKit', c.per_kit) order by c.position)
		                    from sku_component c join formula f using (formula_id) where c.sku = s.sku), '[]') as components
		   from sku s
		  where ($1::text is null or s.sku > $1) and ($2::text is null or s.sku ilike $2 or s.name ilike $2)
		    and ($3::text is null or s.kind = $3) and ($4::text is null or s.slug = $4)
		    and ($5::text is null or exists (
		          select 1 from sku_component c join formula f using (formula_id) where c.sku = s.sku and f.code = $5))
		  order by s.sku limit $6`,
		[after, searched(q), kind ?? null, product ?? null, formula, most],
	);
