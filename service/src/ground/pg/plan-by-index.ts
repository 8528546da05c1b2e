import type { Query } from "./connect.ts";

/**
 * For this transaction, plans by index and nested loop. A transaction that fills tables whose statistics still call
 * them empty would otherwise choose a sequential scan and repeat it for every chunk.
 */
export const planByIndex = (tx: Query) =>
	tx.query(
		`select set_config(name, 'off', true) from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,jit}'::text[]) name`,
	);
