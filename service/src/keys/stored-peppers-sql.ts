import type { Query } from "../pg/connect.ts";

/** An entry of the key ring, by its id, under which secrets are stored, and of how many keys. */
export interface StoredPepper {
	readonly id: string;
	readonly keys: number;
}

export async function selectStoredPeppers(db: Query): Promise<StoredPepper[]> {
	const { rows } = await db.query<StoredPepper>(
		"select pepper_id as id, count(distinct key_id)::int as keys from key_secret group by 1 order by 2 desc, 1",
	);
	return rows;
}
