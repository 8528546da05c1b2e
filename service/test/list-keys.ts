import type { Query } from "../src/ground/pg/connect.ts";
import { NOW_MS } from "../src/ground/pg/query.ts";
import { type ListedKey, listedKeyOf } from "../src/partners/keys/listed-key.ts";
import { KEY, KEY_JOINS, type KeyRow } from "../src/partners/keys/sql.ts";

/** All keys, as operators see them. */
export async function listKeys(db: Query): Promise<ListedKey[]> {
	const { rows } = await db.query<{ now: number; key: KeyRow }>(
		`select ${NOW_MS} as now, ${KEY} as key from api_key k ${KEY_JOINS}`,
	);
	return rows.map(({ now, key }) => listedKeyOf(key, now));
}
