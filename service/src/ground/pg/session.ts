import { OperatorError } from "../lib/operator-error.ts";
import type { Query } from "./connect.ts";
import { durabilityProblems } from "./durability.ts";
import { timed } from "./query.ts";

export interface SessionOptions {
	/**
	 * Plans by index and nested loop whatever the statistics say. For the short set-based statements of the hot path: a
	 * new, empty table must not lead to a sequential scan that stays in the plan after the table has grown.
	 */
	readonly indexPlansOnly?: boolean;
	/** Milliseconds that a statement waits for a row locked by another transaction. Absent: the server's default. */
	readonly lockTimeoutMs?: number;
	/**
	 * Milliseconds that a transaction may wait for its next statement before the server ends it, so that a node that
	 * vanished releases its locks. Absent: IDLE_IN_TRANSACTION_MS.
	 */
	readonly idleInTransactionMs?: number;
	/**
	 * `preferred`: commits are on disk before they are acknowledged, whatever the server's default is or becomes.
	 * `required`: the same, and a server that may lose them in another way is refused. Absent: the server's default.
	 */
	readonly durability?: "preferred" | "required";
}

/**
 * Milliseconds, for transactions that rarely pause: far longer than any pause of ours, far shorter than a person
 * waits.
 */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** Milliseconds for the first statements of a new connection, which the pool's own limit does not cover. */
const ANSWER_WITHIN_MS = 2_500;

/** A server that may lose acknowledged work. Nothing is written to it. */
export class NotDurable extends OperatorError {}

/**
 * Settings of every session, set by a statement because a pooler may refuse or drop settings that a connection sends
 * at its start.
 */
const ALWAYS: Readonly<Record<string, string>> = {
	timezone: "UTC",
	default_transaction_isolation: "read committed",
	// the server notices within seconds that our side is gone, whether a statement runs, waits or sends
	client_connection_check_interval: "1s",
	tcp_user_timeout: "4s",
	tcp_keepalives_idle: "2",
	tcp_keepalives_interval: "1",
	tcp_keepalives_count: "2",
};

const INDEX_PLANS_ONLY: Readonly<Record<string, string>> = {
	enable_seqscan: "off",
	enable_hashjoin: "off",
	enable_mergejoin: "off",
	enable_memoize: "off", // rows are locked in the order of the outer side of the join
	jit: "off",
	max_parallel_workers_per_gather: "0", // starting a worker takes longer than a short statement
	plan_cache_mode: "force_generic_plan",
};

const SET = `select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) s(name, value)`;
/** A session's setting takes precedence over later changes of the server's configuration. */
const PIN_COMMIT = `select set_config('synchronous_commit',
	  case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false) as synchronous_commit,
	  current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes`;

/** Runs the first statements of every new connection. @throws NotDurable */
export async function prepareSession(client: Query, options: SessionOptions): Promise<void> {
	const settings = {
		...ALWAYS,
		idle_in_transaction_session_timeout: `${options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS}ms`,
		...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: `${options.lockTimeoutMs}ms` }),
		...(options.indexPlansOnly ? INDEX_PLANS_ONLY : {}),
	};
	const set = client.query(timed(SET, ANSWER_WITHIN_MS), [Object.keys(settings), Object.values(settings)]);
	if (options.durability === undefined) {
		await set;
		return;
	}
	const pinned = client.query<{ synchronous_commit: string; fsync: string; full_page_writes: string }>(
		timed(PIN_COMMIT, ANSWER_WITHIN_MS),
	);
	const [, { rows }] = await Promise.all([set, pinned]);
	const problems = options.durability === "required" ? rows.flatMap(durabilityProblems) : [];
	if (problems.length > 0) throw new NotDurable(problems.join("\n"));
}
