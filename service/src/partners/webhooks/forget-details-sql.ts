import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";

interface StoredBody {
	readonly seq: number;
	readonly body: string;
}

/** Locks the events of these orders whose bodies are kept; a transaction that sends one again locks it, too. */
export const lockEventsOf = async (tx: Query, orderIds: readonly string[]): Promise<StoredBody[]> =>
	(
		await tx.query<StoredBody>(
			`select seq, body from event where order_id = any($1::uuid[]) and pruned_at is null order by seq for update`,
			[orderIds],
		)
	).rows;

export const updateBodies = (tx: Query, events: readonly StoredBody[]): Promise<unknown> =>
	tx.query(`update event e set body = n.body from unnest($1::bigint[], $2::text[]) n(seq, body) where e.seq = n.seq`, [
		plainArray(events.map(({ seq }) => seq)),
		textArray(events.map(({ body }) => body)),
	]);

/** Deletes what receivers answered to these events. */
export const clearExcerpts = (tx: Query, seqs: readonly number[]): Promise<unknown> =>
	tx.query(
		`update webhook_delivery set attempts = (
		   select jsonb_agg(a.attempt || '{"response_excerpt": null}' order by a.n)
		     from jsonb_array_elements(attempts) with ordinality a(attempt, n))
		  where seq = any($1::bigint[]) and jsonb_path_exists(attempts, '$[*].response_excerpt ? (@ != null)')`,
		[plainArray(seqs)],
	);
