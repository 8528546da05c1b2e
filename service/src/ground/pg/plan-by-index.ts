import type { Query } from "./connect.ts";

/**
 * For this transaction, plan by index and nested loop: whoever fills tables whose statistics still say that they are
 * empty would otherwise run a sequential scan, once chosen, for every chunk.
 */
export const planByIndex = (tx: Query) =>
	tx.query(
		`select set_config(name, 'off', true) from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,jit}'::text[]) name`,
	);
