import { assert } from "../lib/assert.ts";
import { textArray } from "../pg/array.ts";
import type { Query } from "../pg/connect.ts";
import { newEnvelope } from "./envelope.ts";
import { type NewJob } from "./job.ts";
import { ADD_JOBS } from "./sql.ts";

/** Maximum number of runs of the statement, which is repeated only if a worker locks one of the jobs while it runs. */
const MAX_TRIES = 5;

/**
 * Adds jobs in the caller's transaction with one statement: they exist if and only if it commits. A new job replaces
 * a waiting one with the same key; if one is already running, the new one runs as well. `keepTime`: a waiting job
 * keeps its time. A transaction that partners wait for adds jobs after its last lock.
 */
export async function enqueue(
	tx: Query,
	jobs: readonly NewJob[],
	{ keepTime = false }: { readonly keepTime?: boolean } = {},
): Promise<void> {
	const distinct = [...new Map(jobs.map((job) => [job.key, job])).values()]; // the last job of a key wins
	if (distinct.length === 0) return;
	const values = [
		textArray(distinct.map(({ name }) => name)),
		textArray(distinct.map(({ payload }) => JSON.stringify(newEnvelope(payload)))),
		textArray(distinct.map(({ afterMs }) => String(afterMs))),
		textArray(distinct.map(({ key }) => key)),
		keepTime,
	];
	for (let tries = 0, added = 0; added < distinct.length; tries++) {
		assert(tries < MAX_TRIES, "jobs were skipped again and again");
		const { rows } = await tx.query<{ added: number }>(ADD_JOBS, values);
		added = rows[0]?.added ?? 0;
	}
}
