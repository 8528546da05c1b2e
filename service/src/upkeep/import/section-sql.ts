import type { Static } from "typebox";
import { FIRST_KEY, SANDBOX_BRAND, SANDBOX_SLUG_PREFIX } from "../../glossary.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { SANDBOX_FORMULAS, SANDBOX_SKUS } from "../../inventory/catalog/sandbox-names.ts";
import type { CsvKind } from "./csv.ts";
import type { Key } from "./export-contract.ts";

/*
 * The rows of each section as an import takes them, page by page in the order of their keys. Rows that the sandbox
 * creates itself are left out, because no import may name them or they are copies of the model's lots. The key of the
 * first start and its partner are left out, too, because an import elsewhere would create them again.
 */

/** A row by the names of its columns, and its key. */
export interface SectionRow {
	readonly key: string;
	readonly [column: string]: string | number | null;
}

/** $1: the key after which the page begins, or null; $2: the maximum number of rows; $3: the sandbox's own names. */
const PAGES: { readonly [K in CsvKind]: string } = {
	brands: `select brand_code as code, name, brand_code as key from pool
		where brand_code is not null and partner_id is null and ($1::text is null or brand_code > $1) and brand_code <> all($3::text[])
		order by brand_code limit $2`,
	formulas: `select code, name, status, code as key from formula
		where ($1::text is null or code > $1) and code <> all($3::text[]) order by code limit $2`,
	products: `select slug, name, slug as key from product
		where ($1::text is null or slug > $1) and not starts_with(slug, ($3::text[])[1]) order by slug limit $2`,
	skus: `select s.sku, s.name, s.slug as product, s.kind, s.vial_size, s.sku as key,
		       coalesce((select string_agg(f.code || '*' || c.per_kit, ';' order by c.position)
		                   from sku_component c join formula f using (formula_id) where c.sku = s.sku), '') as components
		  from sku s where ($1::text is null or s.sku > $1) and s.sku <> all($3::text[]) order by s.sku limit $2`,
	lots: `select f.code as formula, p.brand_code, l.batch_number, l.expires_on, l.received_on, l.received as units, l.fg_id as key
		  from lot l join formula f using (formula_id) join pool p using (pool_id)
		 where ($1::uuid is null or l.fg_id > $1) and l.received > 0 and p.partner_id is null and f.code <> all($3::text[]) order by l.fg_id limit $2`,
	demand: `select f.code as formula, p.brand_code, d.units, d.reference,
		       jsonb_build_array(d.formula_id, d.pool_id, d.reference)::text as key
		  from demand d join formula f using (formula_id) join pool p using (pool_id)
		 where ($1::jsonb is null or (d.formula_id, d.pool_id, d.reference)
		                           > (($1::jsonb ->> 0)::uuid, ($1::jsonb ->> 1)::int, $1::jsonb ->> 2))
		   and f.code <> all($3::text[])
		 order by d.formula_id, d.pool_id, d.reference limit $2`,
	buffers: `select f.code as formula, p.brand_code, b.units, jsonb_build_array(b.formula_id, b.pool_id)::text as key
		  from safety_buffer b join formula f using (formula_id) join pool p using (pool_id)
		 where ($1::jsonb is null or (b.formula_id, b.pool_id) > (($1::jsonb ->> 0)::uuid, ($1::jsonb ->> 1)::int))
		   and f.code <> all($3::text[])
		 order by b.formula_id, b.pool_id limit $2`,
	partners: `select name, name as key from partner p
		where ($1::text is null or name > $1)
		  and (name <> ($3::text[])[1] or exists (select from api_key k where k.partner_id = p.partner_id and k.name <> ($3::text[])[2]))
		order by name limit $2`,
};

export const selectSectionPage = async (
	db: Query,
	section: CsvKind,
	after: string | null,
	most: number,
): Promise<SectionRow[]> => (await db.query<SectionRow>(PAGES[section], [after, most, [...OWN_NAMES[section]]])).rows;

/**
 * The names whose rows are left out of each section, because the sandbox creates them itself. For products: the prefix
 * of their slugs. For partners: the partner of the first start and its key; the partner is left out unless it has other
 * keys.
 */
const OWN_NAMES: { readonly [K in CsvKind]: readonly string[] } = {
	brands: [SANDBOX_BRAND],
	formulas: SANDBOX_FORMULAS,
	products: [SANDBOX_SLUG_PREFIX],
	skus: SANDBOX_SKUS,
	lots: SANDBOX_FORMULAS,
	demand: SANDBOX_FORMULAS,
	buffers: SANDBOX_FORMULAS,
	partners: [FIRST_KEY.partner, FIRST_KEY.name],
};

type ExportedKey = Omit<Static<typeof Key>, "expires_at"> & { readonly expires_at: Date | null };
/** The keys that have not ended, without that of the first start, as an import takes them. */
export const selectExportedKeys = async (db: Query): Promise<ExportedKey[]> =>
	(
		await db.query<ExportedKey>(
			`select k.name, r.name as partner, k.environment, p.brand_code, k.scopes, k.shared_pool, k.requests_per_minute,
			        k.max_held_units, k.expires_at
			   from api_key k join partner r using (partner_id) left join pool p using (pool_id)
			  where (k.revoke_at is null or k.revoke_at > clock_timestamp())
			    and (k.expires_at is null or k.expires_at > clock_timestamp()) and (r.name, k.name) <> ($1, $2)
			  order by r.name, k.name`,
			[FIRST_KEY.partner, FIRST_KEY.name],
		)
	).rows;
