import { prepared } from "../../ground/pg/query.ts";
import { wholeMs } from "../../ground/pg/table.ts";
import type { Pool } from "./catalog.ts";
import type { Formula, Sku } from "./sku.ts";

export interface EpochBody {
	readonly version: number;
	readonly stamp: string;
	/** Whether the rows below are the whole catalogue, or only the changes. */
	readonly whole: boolean;
}
export type SkuBody = Omit<Sku, "components" | "updatedAt"> & {
	/** Formula and units of it per kit, in the order of the recipe. */
	readonly components: readonly (readonly [formulaId: string, perKit: number])[];
	/** Milliseconds since 1970. */
	readonly updatedAt: number;
};
export type CatalogRow =
	| readonly ["epoch", EpochBody]
	| readonly ["pool", Pool]
	| readonly ["formula", Formula]
	| readonly ["sku", SkuBody];

/**
 * The catalogue's epoch. If its stamp is not the given one, also every pool, and the formulas and SKUs that changed
 * since the given number; or all formulas and SKUs, if that number and stamp are not in this catalogue's history. One
 * statement, so it reads one snapshot even outside a transaction.
 */
export const selectCatalogSince = prepared<CatalogRow>(
	"select_catalog",
	`with e as materialized (
	   select version, stamp from catalog_epoch),
	 since as materialized (
	   select coalesce((select version from epoch_log where epoch = 'catalog_epoch' and version = $1 and stamp = $2), -1) as version
	     from e where e.stamp <> $2)
	 select 'epoch', jsonb_build_object('version', version, 'stamp', stamp, 'whole',
	                                    coalesce((select version < 0 from since), false))
	   from e
	 union all
	 select 'pool', jsonb_build_object('poolId', pool_id, 'brandCode', brand_code, 'partnerId', partner_id) from since, pool
	 union all
	 select 'formula', jsonb_build_object('formulaId', formula_id, 'code', code, 'name', name, 'status', status,
	                   'version', f.version)
	   from since cross join lateral (select * from formula where formula.version > since.version offset 0) f
	 union all
	 select 'sku', jsonb_build_object('sku', s.sku, 'name', s.name, 'slug', s.slug, 'kind', s.kind,
	                 'testBehaviour', s.test_behaviour, 'version', s.version,
	                 'updatedAt', ${wholeMs("s.updated_at")},
	                 'components', coalesce((select jsonb_agg(jsonb_build_array(c.formula_id, c.per_kit) order by c.position)
	                                           from sku_component c where c.sku = s.sku), '[]'))
	   from since cross join lateral (select * from sku where sku.version > since.version offset 0) s`,
);
