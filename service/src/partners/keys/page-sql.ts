import type { Query } from "../../ground/pg/connect.ts";
import { contains } from "../../ground/pg/pattern.ts";
import { KEY, KEY_JOINS, type KeyRow, type ListedPartner, SELECT_PARTNERS } from "./sql.ts";

export interface KeyFilters {
	readonly partner?: string | undefined;
	readonly environment?: string | undefined;
	readonly brand_code?: string | undefined;
	/** A part of name, partner or public half. */
	readonly q?: string | undefined;
}

/** A page of keys, newest first, with the database's time in epoch milliseconds. `before`: a key's id. */
export const selectKeyPage = (
	db: Query,
	{ partner, environment, brand_code: brandCode, q }: KeyFilters,
	before: string | null,
	limit: number,
) =>
	db.query<{ nowMs: number; key: KeyRow }>(
		`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs", ${KEY} as key from api_key k ${KEY_JOINS}
		  where ($1::uuid is null or k.key_id < $1) and ($2::text is null or p.name = $2)
		    and ($3::text is null or k.environment = $3) and ($4::text is null or b.brand_code = $4)
		    and ($5::text is null or k.name ilike $5 or p.name ilike $5 or k.pk ilike $5)
		  order by k.key_id desc limit $6`,
		[before, partner ?? null, environment ?? null, brandCode ?? null, q === undefined ? null : contains(q), limit],
	);

/** A page of partners by name. */
export const selectPartnerPage = (
	db: Query,
	{ q }: { readonly q?: string | undefined },
	after: string | null,
	limit: number,
) =>
	db.query<ListedPartner>(
		`${SELECT_PARTNERS} where ($1::text is null or p.name > $1) and ($2::text is null or p.name ilike $2)
		  order by p.name limit $3`,
		[after, q === undefined ? null : contains(q), limit],
	);

/** One partner; null: there is none with this id. */
export const selectPartner = async (db: Query, partnerId: string): Promise<ListedPartner | null> =>
	(await db.query<ListedPartner>(`${SELECT_PARTNERS} where p.partner_id = $1`, [partnerId])).rows[0] ?? null;
