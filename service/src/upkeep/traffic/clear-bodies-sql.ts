import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";

/** A chunk of a key's log: the time of its last request, and its place among the chunks of that time. */
export interface LogCursor {
	readonly lastAt: string;
	/** The place of the row in its table, as PostgreSQL writes it (`ctid`). */
	readonly place: string;
}

const BEGINNING: LogCursor = { lastAt: "-infinity", place: "(0,0)" };

interface LockedChunk extends LogCursor {
	/** Null: it contains none of the traces. */
	readonly requests: string | null;
}

/**
 * Locks the next chunks of a sandbox key after a place. It reads a fixed number, however few of them match, so that no
 * statement takes long.
 */
export const lockChunks = async (
	tx: Query,
	asked: {
		readonly keyId: string;
		readonly traces: readonly string[];
		readonly after: LogCursor | null;
		readonly most: number;
	},
): Promise<LockedChunk[]> => {
	const { lastAt, place } = asked.after ?? BEGINNING;
	const { rows } = await tx.query<LockedChunk>(
		`with read as materialized (
		   select last_at, ctid as place, requests from request_log
		    where sandbox and key_id = $1 and last_at >= $2::timestamptz and (last_at, ctid) > ($2::timestamptz, $3::tid)
		    order by last_at, ctid limit $4 for update)
		 select to_char(last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "lastAt", place::text,
		        case when exists (select from unnest($5::text[]) t where strpos(small, t) > 0) then requests end as requests
		   from read cross join lateral (select lower(requests) as small offset 0) l order by last_at, place`,
		[asked.keyId, lastAt, place, asked.most, textArray(asked.traces)],
	);
	return rows;
};

/** Writes the requests of locked chunks. */
export const updateChunks = (
	tx: Query,
	keyId: string,
	chunks: readonly { readonly lastAt: string; readonly place: string; readonly requests: string }[],
): Promise<unknown> =>
	tx.query(
		`update request_log c set requests = n.requests
		   from unnest($2::timestamptz[], $3::tid[], $4::text[]) n(last_at, place, requests)
		  where c.sandbox and c.key_id = $1 and c.last_at = n.last_at and c.ctid = n.place`,
		[
			keyId,
			plainArray(chunks.map(({ lastAt }) => lastAt)),
			textArray(chunks.map(({ place }) => place)),
			textArray(chunks.map(({ requests }) => requests)),
		],
	);
