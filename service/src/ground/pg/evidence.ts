import type pg from "pg";
import { assert } from "../lib/assert.ts";
import { monotonicMs, sleep } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { CommitNotConfirmed, commit, rolledBack } from "./commit.ts";
import type { Database, Query } from "./connect.ts";
import { ConnectionLost, isConflict, isConnectionLoss } from "./faults.ts";
import { RECONNECT_PAUSE_MS } from "./patience.ts";
import { prepared, timed } from "./query.ts";

/*
 * If the answer to a COMMIT is lost, evidence that the transaction wrote itself decides its outcome
 * (docs/decisions/0018). Each writing connection owns one row of `commit_evidence`, created before its first
 * transaction. A transaction writes its number there and sends COMMIT only after that write was answered. The row
 * therefore stays locked while the COMMIT may be running: once another session has locked the row, the transaction has
 * ended, and the number in the row gives its outcome.
 */

/** The outcome of a COMMIT cannot be determined. Never reported as success, and never a reason to repeat the work. */
export class OutcomeUnknown extends Error {
	override readonly name = "OutcomeUnknown";
}

/** Identifies one transaction in its evidence row. */
export interface Evidence {
	readonly writerId: string;
	readonly attempt: number;
}

export type Outcome = "committed" | "rolled back" | "unknown";

/** Default number of milliseconds for which the outcome of a lost COMMIT is queried. */
export const OUTCOME_PATIENCE_MS = 5_000;
/** Milliseconds that one query waits for the row while a running transaction has it locked. */
const LOCK_WAIT_MS = 1_000;
/** Milliseconds within which each statement of a query must be answered. */
const ANSWER_WITHIN_MS = 2_500;

/** Transactions per row: under an old snapshot, each leaves a version that every later one must skip. */
const ATTEMPTS_PER_ROW = 1_000;

const writers = new WeakMap<pg.ClientBase, { readonly writerId: string; attempt: number }>();

/** Whether this connection has a usable row. If so, `nextSignature` needs no extra round trip. */
export const hasEvidenceRow = (client: pg.ClientBase): boolean =>
	(writers.get(client)?.attempt ?? ATTEMPTS_PER_ROW) < ATTEMPTS_PER_ROW;

/** Creates a row for this connection, in a separate transaction, and deletes its previous row. */
export async function makeEvidenceRow(client: pg.ClientBase): Promise<void> {
	const writerId = newId();
	await client.query(
		`with used as (delete from commit_evidence where writer_id = $2)
		 insert into commit_evidence (writer_id, attempt) values ($1, 0)`,
		[writerId, writers.get(client)?.writerId ?? null],
	);
	writers.set(client, { writerId, attempt: 0 });
}

/**
 * Writes a transaction's number, as part of the `with` of one of its statements. Its first two parameters are the
 * writer's id and the number. Pass the number of rows in `signed` to `signedBy`.
 */
export const SIGNED = `signed as (
	update commit_evidence set attempt = $2, written_at = clock_timestamp() where writer_id = $1 returning 1)`;

const signAlone = prepared<[rows: number]>("write_evidence", `with ${SIGNED} select count(*)::int from signed`);

/** The evidence that a transaction is about to write. Send COMMIT only when `written` is true. */
export interface Signature {
	readonly evidence: Evidence;
	/** The parameters of SIGNED. */
	readonly values: readonly [writerId: string, attempt: number];
	readonly written: boolean;
	/** Records how many rows SIGNED changed. @throws ConnectionLost if the row was deleted; then drop the connection */
	signedBy(rows: number): void;
	/** Writes the evidence in a separate statement. @throws ConnectionLost */
	write(tx: Query): Promise<void>;
}

/** Takes the next number of this connection's row. */
export function nextSignature(client: pg.ClientBase): Signature {
	const writer = writers.get(client);
	assert(writer !== undefined, "a connection has no row for its evidence");
	const evidence = { writerId: writer.writerId, attempt: ++writer.attempt };
	const values = [evidence.writerId, evidence.attempt] as const;
	let written = false;
	const signedBy = (rows: number): void => {
		if (rows !== 1) throw new ConnectionLost("the row of this connection's evidence is gone");
		written = true;
	};
	return {
		evidence,
		values,
		get written() {
			return written;
		},
		signedBy,
		async write(tx) {
			const [[rows] = [0]] = await signAlone(tx, values);
			signedBy(rows);
		},
	};
}

/**
 * The outcome of a transaction whose connection was lost after its COMMIT was sent. Waits for a running transaction
 * until `until` (monotonic milliseconds). Returns an outcome only after a later COMMIT of our own was confirmed without
 * a warning, so the outcome is as durable as any other transaction, even on a synchronous standby.
 */
export async function outcomeOf(
	db: Database,
	{ writerId, attempt }: Evidence,
	until: number = monotonicMs() + OUTCOME_PATIENCE_MS,
): Promise<Outcome> {
	for (;;) {
		try {
			const last = await lastAttempt(db, writerId);
			return last === attempt ? "committed" : "rolled back";
		} catch (error) {
			const passing = isConnectionLoss(error) || isConflict(error);
			if (error instanceof CommitNotConfirmed || !passing || monotonicMs() + RECONNECT_PAUSE_MS > until)
				return "unknown";
			await sleep(RECONNECT_PAUSE_MS);
		}
	}
}

/**
 * The number in the row, once no transaction has the row locked. A server without the row, whose history ends before
 * the transaction began, gets one with the number 0: so this transaction writes in either case, and its COMMIT waits
 * for a synchronous standby. A primary that was replaced without noticing it has no standby that confirms the COMMIT.
 */
async function lastAttempt(db: Database, writerId: string): Promise<number | undefined> {
	const client = await db.take();
	const tx = client as unknown as Query;
	let broken = true;
	try {
		await client.query(timed("begin isolation level read committed", ANSWER_WITHIN_MS));
		await client.query(timed(`set local lock_timeout = '${LOCK_WAIT_MS}ms'`, ANSWER_WITHIN_MS));
		const { rows } = await tx.query<{ attempt: number }>(
			timed(
				`insert into commit_evidence as e (writer_id, attempt) values ($1, 0)
				 on conflict (writer_id) do update set attempt = e.attempt returning attempt`,
				ANSWER_WITHIN_MS,
			),
			[writerId],
		);
		await commit(client, ANSWER_WITHIN_MS);
		broken = false;
		return rows[0]?.attempt;
	} catch (error) {
		broken = !(await rolledBack(client));
		throw error;
	} finally {
		client.release(broken);
	}
}

/** Deletes rows unused for a week. A connection that still uses such a row is replaced at its next write. */
export async function forgetOldEvidence(db: Query): Promise<void> {
	await db.query("delete from commit_evidence where written_at < now() - interval '7 days'");
}
