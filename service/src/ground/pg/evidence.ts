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
 * A COMMIT whose answer is lost is judged by evidence that the transaction wrote itself (docs/decisions/0018). Each
 * connection that writes owns one row of `commit_evidence`, made before its first transaction. A transaction writes its
 * number there, and sends its COMMIT only after that write was answered. So the row is locked for as long as its COMMIT
 * may be under way: whoever locks the row knows that the transaction has ended, and the number in it says how.
 */

/**
 * The server may or may not have committed, and nobody can tell. Never reported as success, and never a reason to do it
 * again.
 */
export class OutcomeUnknown extends Error {
	override readonly name = "OutcomeUnknown";
}

/** One transaction, as its evidence names it. */
export interface Evidence {
	readonly writerId: string;
	readonly attempt: number;
}

export type Outcome = "committed" | "rolled back" | "unknown";

/** Milliseconds for which the outcome of a lost COMMIT is asked for when the caller sets no other limit. */
export const OUTCOME_PATIENCE_MS = 5_000;
/** Milliseconds that one question waits for the row, which a transaction that is still under way has locked. */
const LOCK_WAIT_MS = 1_000;
/** Milliseconds within which each statement of a question must be answered. */
const ANSWER_WITHIN_MS = 2_500;

/**
 * Transactions that write the same row: under a long snapshot each of them leaves a version that every later one must
 * pass.
 */
const ATTEMPTS_PER_ROW = 1_000;

const writers = new WeakMap<pg.ClientBase, { readonly writerId: string; attempt: number }>();

/** Has this connection a row that will do? Then `nextSignature` may be called without another round trip. */
export const hasEvidenceRow = (client: pg.ClientBase): boolean =>
	(writers.get(client)?.attempt ?? ATTEMPTS_PER_ROW) < ATTEMPTS_PER_ROW;

/** Makes a row for this connection, in a transaction of its own, and removes the one it had. */
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
 * The write of a transaction's number, to stand in a `with` of one of the transaction's statements. Its first two
 * parameters are the writer's id and the number. How many rows of `signed` there are is for `signedBy`.
 */
export const SIGNED = `signed as (
	update commit_evidence set attempt = $2, written_at = clock_timestamp() where writer_id = $1 returning 1)`;

const signAlone = prepared<[rows: number]>("write_evidence", `with ${SIGNED} select count(*)::int from signed`);

/** The evidence that a transaction is about to write. Its COMMIT may be sent only when `written` says so. */
export interface Signature {
	readonly evidence: Evidence;
	/** The parameters of SIGNED. */
	readonly values: readonly [writerId: string, attempt: number];
	readonly written: boolean;
	/**
	 * Notes the answer: how many rows SIGNED changed. @throws ConnectionLost when somebody removed the row: the
	 * connection is to be given up then.
	 */
	signedBy(rows: number): void;
	/** Writes the evidence by a statement of its own. @throws ConnectionLost */
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
 * What became of a transaction whose connection was lost after its COMMIT was sent. Waits for a transaction that is
 * still under way, until `until` (monotonic milliseconds). "committed" is answered only when a COMMIT of our own,
 * behind that transaction's, was confirmed without a warning: so it is as durable as any other, on a synchronous
 * standby too.
 */
export async function outcomeOf(
	db: Database,
	{ writerId, attempt }: Evidence,
	until: number = monotonicMs() + OUTCOME_PATIENCE_MS,
): Promise<Outcome> {
	for (;;) {
		try {
			const last = await lastAttempt(db, writerId);
			// without the row this server's history ends before the transaction began
			return last === attempt ? "committed" : "rolled back";
		} catch (error) {
			const passing = isConnectionLoss(error) || isConflict(error);
			if (error instanceof CommitNotConfirmed || !passing || monotonicMs() + RECONNECT_PAUSE_MS > until)
				return "unknown";
			await sleep(RECONNECT_PAUSE_MS);
		}
	}
}

async function lastAttempt(db: Database, writerId: string): Promise<number | null> {
	const client = await db.take();
	const tx = client as unknown as Query;
	let broken = true;
	try {
		await client.query(timed("begin isolation level read committed", ANSWER_WITHIN_MS));
		await client.query(timed(`set local lock_timeout = '${LOCK_WAIT_MS}ms'`, ANSWER_WITHIN_MS));
		const { rows } = await tx.query<{ attempt: number }>(
			timed("select attempt from commit_evidence where writer_id = $1 for update", ANSWER_WITHIN_MS),
			[writerId],
		);
		await commit(client);
		broken = false;
		return rows[0]?.attempt ?? null;
	} catch (error) {
		broken = !(await rolledBack(client));
		throw error;
	} finally {
		client.release(broken);
	}
}

/**
 * Removes the rows of connections that have written nothing for a week. A connection that still lives loses its row
 * with it, and is replaced when it writes again.
 */
export async function forgetOldEvidence(db: Query): Promise<void> {
	await db.query("delete from commit_evidence where written_at < now() - interval '7 days'");
}
