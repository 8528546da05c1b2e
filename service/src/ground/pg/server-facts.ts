import type { Query } from "./connect.ts";

export interface ServerFacts {
	/** The database's clock, in epoch milliseconds. */
	readonly nowMs: number;
	readonly version: string;
	readonly encoding: string;
}

/** Facts that the server reports about itself; null if it returns no row. */
export async function readServerFacts(db: Query): Promise<ServerFacts | null> {
	const { rows } = await db.query<ServerFacts>(
		`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs", current_setting('server_version') as version,
		        current_setting('server_encoding') as encoding`,
	);
	return rows[0] ?? null;
}
