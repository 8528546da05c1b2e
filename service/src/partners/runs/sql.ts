import type { Query } from "../../ground/pg/connect.ts";
import { timed } from "../../ground/pg/query.ts";
import { LEASE_MS } from "./limits.ts";
import type { HeldRun, OperatorRun, RunError, RunStatus, RunStep } from "./run.ts";

const RUN = `run_id as "runId", operation, about, actor, request_id as "requestId", status, stop_asked as "stopAsked", done,
	total as of, result, error, started_at as "startedAt", ended_at as "endedAt"`;
const HELD = `run_id as "runId", operation, actor, request_id as "requestId", fence`;
const LEASE = `clock_timestamp() + make_interval(secs => ${LEASE_MS / 1_000})`;
/** A statement about a lease: without an answer within its time, the lease may be another node's. */
const leasing = (text: string): string => timed(text, LEASE_MS);
/** The run, as long as the node holds its lease. */
const MINE = "run_id = $1 and fence = $2 and status = 'running'";

export type NewRun = Pick<OperatorRun, "runId" | "operation" | "about" | "actor" | "requestId"> & {
	readonly step: RunStep<unknown>;
};

/** Creates a run whose lease this node holds. */
export const insertRun = (tx: Query, { runId, operation, about, actor, requestId, step }: NewRun): Promise<unknown> =>
	tx.query(
		`insert into operator_run (run_id, operation, about, actor, request_id, status, state, done, total, result, ended_at, held_until)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case $6 when 'done' then clock_timestamp() end, ${LEASE})`,
		[runId, operation, about, actor, requestId, step.isEnd ? "done" : "running", ...stepValues(step)],
	);

const stepValues = ({ state, done, of, result }: RunStep<unknown>): unknown[] => [
	JSON.stringify(state),
	done,
	of,
	result === null ? null : JSON.stringify(result),
];

export interface RunFilter {
	/** Null: every status. */
	readonly status: RunStatus | null;
	/** Null: every operation. */
	readonly operation: string | null;
	/** Only runs older than this one, by id; null: from the newest. */
	readonly before: string | null;
}

/** Runs, the newest first; ids grow with time. */
export const selectRuns = (db: Query, { status, operation, before }: RunFilter, most: number) =>
	db.query<OperatorRun>(
		`select ${RUN} from operator_run
		  where ($1::text is null or status = $1) and ($2::text is null or operation = $2)
		    and ($3::uuid is null or run_id < $3)
		  order by run_id desc limit $4`,
		[status, operation, before, most],
	);

export async function selectRun(db: Query, runId: string): Promise<OperatorRun | null> {
	const { rows } = await db.query<OperatorRun>(`select ${RUN} from operator_run where run_id = $1`, [runId]);
	return rows[0] ?? null;
}

export const selectState = async (db: Query, runId: string): Promise<unknown> =>
	(await db.query<{ state: unknown }>("select state from operator_run where run_id = $1", [runId])).rows[0]?.state;

/** The newest run of an operation whose state has this target, or null. */
export async function selectLastRun(db: Query, operation: string, target: object): Promise<OperatorRun | null> {
	const { rows } = await db.query<OperatorRun>(
		`select ${RUN} from operator_run where operation = $1 and state -> 'target' = $2::jsonb order by run_id desc limit 1`,
		[operation, JSON.stringify(target)],
	);
	return rows[0] ?? null;
}

/**
 * The state that a step begins from; null: this node has lost the run. Until the transaction ends, no node can take the
 * run over, but its progress can still be written.
 */
export async function lockStep(
	tx: Query,
	{ runId, fence }: HeldRun,
): Promise<{ state: unknown; stopAsked: boolean } | null> {
	const { rows } = await tx.query<{ state: unknown; stopAsked: boolean }>(
		leasing(`select state, stop_asked as "stopAsked" from operator_run where ${MINE} for key share`),
		[runId, fence],
	);
	return rows[0] ?? null;
}

/** Writes the state after a step. False: this node has lost the run. */
export async function saveStep(tx: Query, { runId, fence }: HeldRun, step: RunStep<unknown>): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update operator_run
		    set status = $3, state = $4, done = $5, total = $6, result = $7, held_until = ${LEASE},
		        ended_at = case $3 when 'done' then clock_timestamp() end
		  where ${MINE}`,
		[runId, fence, step.isEnd ? "done" : "running", ...stepValues(step)],
	);
	return rowCount === 1;
}

/** The state of a run that ended early, without the address by which a customer's data was to be erased. */
const WITHOUT_ADDRESS = "case when jsonb_typeof(state) = 'object' then state - 'address' else state end";

/** Ends a run. `result` null: the result so far stays. */
export const endRun = (
	db: Query,
	{ runId, fence }: HeldRun,
	{ status, result, error }: { status: RunStatus; result: object | null; error: RunError | null },
): Promise<unknown> =>
	db.query(
		leasing(`update operator_run set status = $3, ended_at = clock_timestamp(), result = coalesce($4::jsonb, result), error = $5,
		        state = ${WITHOUT_ADDRESS}
		  where ${MINE}`),
		[
			runId,
			fence,
			status,
			result === null ? null : JSON.stringify(result),
			error === null ? null : JSON.stringify(error),
		],
	);

/** Renews the lease and writes new progress. Returns whether the run is to stop; null: this node has lost the run. */
export async function renewRun(
	db: Query,
	{ runId, fence }: HeldRun,
	{ done, of }: { readonly done: number | null; readonly of: number | null },
): Promise<boolean | null> {
	const { rows } = await db.query<{ stopAsked: boolean }>(
		leasing(`update operator_run set held_until = ${LEASE}, done = coalesce($3, done), total = coalesce($4, total)
		  where ${MINE} returning stop_asked as "stopAsked"`),
		[runId, fence, done, of],
	);
	return rows[0]?.stopAsked ?? null;
}

/** Lets another node take the run at once. */
export const letGoOfRun = (db: Query, { runId, fence }: HeldRun): Promise<unknown> =>
	db.query(leasing(`update operator_run set held_until = clock_timestamp() where ${MINE}`), [runId, fence]);

/**
 * Takes over runs of these operations whose nodes are gone, `except` those in hand. A run whose step is being carried
 * out is not taken, because its row is locked.
 */
export async function takeRuns(
	db: Query,
	{ operations, except }: { readonly operations: readonly string[]; readonly except: readonly string[] },
	most: number,
) {
	const { rows } = await db.query<HeldRun & { done: number; of: number | null; state: unknown }>(
		leasing(`with gone as (
		   select run_id from operator_run
		    where status = 'running' and held_until < clock_timestamp() and operation = any($1::text[])
		      and run_id <> all($3::uuid[])
		    order by run_id limit $2 for update skip locked)
		 update operator_run set fence = fence + 1, held_until = ${LEASE}
		  where run_id in (select run_id from gone)
		 returning ${HELD}, done, total as of, state`),
		[operations, most, except],
	);
	return rows;
}

/** Requests that a run stop; its node ends it before the next step. A run without a node is stopped at once. */
export async function stopRun(tx: Query, runId: string): Promise<void> {
	await tx.query("update operator_run set stop_asked = true where run_id = $1 and status = 'running'", [runId]);
	await tx.query(
		`with gone as (
		   select run_id from operator_run
		    where run_id = $1 and status = 'running' and held_until < clock_timestamp() for update skip locked)
		 update operator_run set status = 'stopped', ended_at = clock_timestamp(), state = ${WITHOUT_ADDRESS}
		  where run_id in (select run_id from gone)`,
		[runId],
	);
}
