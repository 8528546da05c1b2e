import { toRfc3339 } from "../../ground/lib/clock.ts";
import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Chunk } from "./waiting-requests.ts";

/** Number of parameters before the texts of the chunks. */
const FIXED = 9;

/**
 * Writes chunks. Their texts are separate parameters: in an array every quotation mark in them would have to be
 * escaped, which costs as much as building them.
 */
export const insertChunks = (tx: Query, chunks: readonly Chunk[]) =>
	tx.query(
		`insert into request_log (last_at, first_at, sandbox, key_id, operation, status, code, count, requests)
		 select last_at, first_at, sandbox, key_id, operation, status, code, count, (array[${chunks
				.map((_chunk, index) => `$${FIXED + index}`)
				.join(",")}]::text[])[n::int]
		   from unnest($1::timestamptz[], $2::timestamptz[], $3::boolean[], $4::uuid[], $5::text[], $6::smallint[], $7::text[],
		               $8::int[]) with ordinality c(last_at, first_at, sandbox, key_id, operation, status, code, count, n)`,
		[
			plainArray(chunks.map(({ lastAt }) => toRfc3339(lastAt))),
			plainArray(chunks.map(({ firstAt }) => toRfc3339(firstAt))),
			plainArray(chunks.map(({ sandbox }) => String(sandbox))),
			plainArray(chunks.map(({ keyId }) => keyId)),
			textArray(chunks.map(({ operation }) => operation)),
			plainArray(chunks.map(({ status }) => status)),
			textArray(chunks.map(({ code }) => code ?? null)),
			plainArray(chunks.map(({ requests }) => requests.length)),
			...chunks.map(({ requests }) => `[${requests.join(",")}]`),
		],
	);
