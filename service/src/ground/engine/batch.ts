import type pg from "pg";
import { assert } from "../lib/assert.ts";
import { monotonicMs } from "../lib/clock.ts";
import { type Refusal, refuse } from "../lib/refusal.ts";
import { CommitNotConfirmed, commit, rolledBack } from "../pg/commit.ts";
import type { Database, Query } from "../pg/connect.ts";
import {
	hasEvidenceRow,
	makeEvidenceRow,
	nextSignature,
	type Outcome,
	OutcomeUnknown,
	outcomeOf,
	type Signature,
} from "../pg/evidence.ts";
import { ConnectionLost, isConnectionLoss } from "../pg/faults.ts";
import { inOneRoundTrip, watchStatements } from "../pg/round-trips.ts";
import { BEGIN } from "../pg/transaction.ts";
import type { HandOver } from "./hand-over.ts";
import type { BatchTrace, EngineHooks, Pending, Steps } from "./steps.ts";

/*
 * One batch is one transaction and two round trips:
 *
 *   to the server    begin · lock and read · evidence        save · commit
 *   here             ------------------------------- decide ------------- answers
 */

/** Milliseconds for which a connection keeps its plans: a plan made for a small table must not survive its growth. */
const PLANS_LIVE_MS = 1_000;

/** What was known about a requester's key was too old when the batch decided: nothing was done. */
export class StaleStanding extends Error {}

export type Answered<A> = A | Refusal<"unauthorized">;

export interface Means<C, A, B, M> {
	readonly db: Database;
	readonly steps: Steps<C, A, B, M>;
	readonly hooks: EngineHooks;
	readonly connections: HandOver;
	/** The start of each running attempt, in monotonic milliseconds. */
	readonly underWay: Set<{ readonly since: number }>;
}

export interface Attempt<M> {
	readonly more: M | undefined;
	/** Milliseconds that a statement waits for a locked row. */
	readonly lockWaitMs: number;
	/** The time (monotonic milliseconds) until which the outcome of a lost COMMIT is queried. */
	readonly patientUntil: number;
}

/**
 * Runs a batch once. Resolves only when it is known to have committed.
 * @throws OutcomeUnknown if that cannot be determined; any other exception means that nothing was done.
 */
export async function runBatch<C, A, B, M>(
	means: Means<C, A, B, M>,
	pending: readonly Pending<C>[],
	attempt: Attempt<M>,
): Promise<Answered<A>[]> {
	const { steps, connections, underWay } = means;
	const started = monotonicMs();
	const mark = { since: started };
	underWay.add(mark);
	const taken = connections.take();
	const trace = means.hooks.traceBatch?.(pending.map(({ command }) => command)) ?? null;
	let held: pg.PoolClient | null = null;
	let usable = false;
	let committed = false;
	try {
		const client = taken instanceof Promise ? await taken : taken; // no needless await: the batch should go out now
		held = client;
		if (trace !== null) watchStatements(client, trace.statement);
		if (!hasEvidenceRow(client)) await makeEvidenceRow(client);
		const signature = nextSignature(client);
		const book = await openBook(client, signature, means, pending, { ...attempt, now: started });
		const answers = pending.map((one) => refuseIfOut(one) ?? steps.decide(book, one.command));
		const tx = client as unknown as Query;
		const sent = inOneRoundTrip(tx, () => {
			const rechecked = steps.recheck(tx, book);
			const saved = Promise.all(steps.save(tx, book));
			return { rechecked, saved, committed: rechecked === null ? commit(client) : null };
		});
		sent.saved.catch(() => undefined); // awaited with the commit
		if (sent.rechecked !== null) await sent.rechecked; // the server saves meanwhile
		usable = await confirm(sent.saved, sent.committed ?? commit(client), () =>
			outcomeOf(means.db, signature.evidence, attempt.patientUntil),
		);
		committed = true;
		return answers;
	} catch (error) {
		const lost = isConnectionLoss(error) || error instanceof OutcomeUnknown;
		usable = held !== null && !lost && (await rolledBack(held));
		throw error;
	} finally {
		underWay.delete(mark);
		if (trace !== null) endTrace(trace, held, committed);
		if (held !== null) connections.giveBack(held, usable);
	}
}

function endTrace(trace: BatchTrace, held: pg.PoolClient | null, committed: boolean): void {
	if (held !== null) watchStatements(held, null);
	trace.ended(committed);
}

async function openBook<C, A, B, M>(
	client: pg.PoolClient,
	signature: Signature,
	{ steps }: Means<C, A, B, M>,
	pending: readonly Pending<C>[],
	{ more, lockWaitMs, now }: Attempt<M> & { readonly now: number },
): Promise<B> {
	const tx = client as unknown as Query;
	const commands = pending.map(({ command }) => command);
	const { begun, opened } = inOneRoundTrip(tx, () => {
		forgetOldPlans(client, now);
		waitForLocks(client, lockWaitMs);
		return {
			begun: tx.query(BEGIN),
			opened: steps.open(tx, commands, signature, more),
		};
	});
	begun.catch(() => undefined); // awaited below, after the statements that fail more often
	const book = await opened;
	await begun; // without BEGIN the rest is not a transaction
	assert(signature.written, "a batch that wrote no evidence must not be committed");
	return book;
}

/** The key behind a command is judged at the moment of the decision, after every wait. */
function refuseIfOut<C>({ requester }: Pending<C>): Refusal<"unauthorized"> | null {
	const standing = requester === null ? true : requester.inForce();
	if (standing === "stale") throw new StaleStanding("the keys in memory are too old to be trusted");
	return standing ? null : KEY_ENDED;
}

/** Answers a write whose key was in force when the request arrived. */
export const KEY_ENDED = refuse(
	"unauthorized",
	"This key was revoked, suspended or expired before the request was carried out. Nothing was done.",
);

const plansMadeAt = new WeakMap<pg.PoolClient, number>();

/** Discards the plans of prepared statements; that costs a millisecond or two, once a second under load. */
function forgetOldPlans(client: pg.PoolClient, now: number): void {
	const since = plansMadeAt.get(client);
	if (since !== undefined && now - since < PLANS_LIVE_MS) return;
	plansMadeAt.set(client, now);
	if (since !== undefined) client.query("discard plans").catch(() => undefined); // fails only with the connection
}

const lockWaits = new WeakMap<pg.PoolClient, number>();

function waitForLocks(client: pg.PoolClient, ms: number): void {
	if (lockWaits.get(client) === ms) return;
	lockWaits.set(client, ms);
	client.query(`set lock_timeout = '${ms}ms'`).catch(() => undefined); // fails only with the connection
}

/**
 * Resolves once the batch has committed, with whether the connection is still usable. Only the answer to COMMIT counts,
 * or, if it is lost, the evidence. @throws OutcomeUnknown; any other exception means that the batch was rolled back.
 */
async function confirm(
	saved: Promise<unknown>,
	committed: Promise<void>,
	ask: () => Promise<Outcome>,
): Promise<boolean> {
	const [, commitResult] = await Promise.allSettled([saved, committed]);
	if (commitResult.status === "fulfilled") return true;
	const { reason } = commitResult;
	if (reason instanceof CommitNotConfirmed || isConnectionLoss(reason)) {
		const outcome = await ask();
		if (outcome === "committed") return false;
		if (outcome === "unknown")
			throw new OutcomeUnknown("it is unknown whether a COMMIT took effect", { cause: reason });
		throw new ConnectionLost("the server rolled back what it was asked to commit", { cause: reason }); // retried
	}
	await saved; // the failed statement says why the server rolled back
	throw reason;
}
