import type { Query } from "../pg/connect.ts";
import { prepared } from "../pg/query.ts";
import type { FormulaStatus, SkuKind } from "./sku.ts";

/** The last number given to a catalogue change. */
export const selectEpoch = prepared<[version: number]>("catalog_epoch", "select version from catalog_epoch");

export interface PoolRow {
	pool_id: number;
	brand_code: string | null;
}
export interface FormulaRow {
	formula_id: string;
	code: string;
	name: string;
	status: FormulaStatus;
}
export interface SkuRow {
	sku: string;
	name: string;
	slug: string | null;
	kind: SkuKind;
	test_behaviour: "retry" | "held" | null;
	updated_at: Date;
	version: number;
	formula_ids: string[];
	per_kits: number[];
}

export const selectPools = (tx: Query) => tx.query<PoolRow>("select pool_id, brand_code from pool");

export const selectFormulasSince = (tx: Query, version: number) =>
	tx.query<FormulaRow>("select formula_id, code, name, status from formula where version > $1", [version]);

/** Every SKU changed after `version`, with its recipe in order. */
export const selectSkusSince = (tx: Query, version: number) =>
	tx.query<SkuRow>(
		`select s.sku, s.name, s.slug, s.kind, s.test_behaviour, s.updated_at, s.version,
		        coalesce(array_agg(c.formula_id::text order by c.position) filter (where c.sku is not null), '{}') as formula_ids,
		        coalesce(array_agg(c.per_kit order by c.position) filter (where c.sku is not null), '{}') as per_kits
		   from sku s left join sku_component c using (sku)
		  where s.version > $1
		  group by s.sku`,
		[version],
	);
