import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import { messageOf } from "../../ground/lib/assert.ts";
import { monotonicMs, sleep } from "../../ground/lib/clock.ts";
import type { Log } from "../../ground/lib/log.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConnectionLoss, isLockTimeout } from "../../ground/pg/faults.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import {
	ANSWER_WITHIN_MS,
	LEASE_MS,
	LOOK_AGAIN_MS,
	MAX_LOCK_WAITS,
	MAX_TRIES,
	RENEW_EVERY_MS,
	STOP_WITHIN_MS,
	TAKEN_AT_ONCE,
	TRY_AGAIN_MS,
} from "./limits.ts";
import { type AnyRunKind, goneMessage, type HeldRun, type OperatorRun, type RunError } from "./run.ts";
import { endRun, letGoOfRun, lockStep, renewRun, saveStep, selectRun, takeRuns } from "./sql.ts";

/** Carries out the runs whose lease this process holds. */
export interface Runs {
	/** Registers a kind of run, so that this process can take over its runs. */
	add(kind: AnyRunKind): void;
	/**
	 * Carries out a run whose lease this process holds, until it ends or another node takes it over. Returns at once.
	 * `input`: data from its request, kept in memory.
	 */
	carryOut(run: HeldRun, input?: unknown): void;
	/** Number of runs in hand with data from their requests. */
	readonly inputs: number;
	/** Resolves with the run when it has ended, or with its state after ANSWER_WITHIN_MS. */
	awaitEnd(runId: string): Promise<OperatorRun | null>;
	/** Takes over runs whose nodes are gone, and carries them out. */
	takeOver(): Promise<void>;
	/** Stops after the current steps; another node continues the runs. */
	stop(): Promise<void>;
}

interface RunsDeps {
	/** A pool that only runs use. */
	readonly db: Database;
	/** For short reads, which do not wait behind the steps of runs. */
	readonly readDb: Query;
	readonly log: Log;
}

/** A run that this process is carrying out. */
interface RunInHand {
	readonly run: HeldRun;
	readonly input: unknown;
	readonly db: Database;
	/** Aborted when the process stops. */
	readonly stopping: AbortSignal;
	/** Also aborted when the run is to stop, or when another node has taken it over. */
	readonly given: AbortController;
	/** Progress to be written with the next renewal. */
	progress: { readonly done: number; readonly of: number | null } | null;
}

export function createRuns({ db, readDb, log }: RunsDeps): Runs {
	const kinds = new Map<string, AnyRunKind>();
	const stopping = new AbortController();
	const inHand = new Map<string, Promise<void>>();
	let inputs = 0;

	const carryOut = (run: HeldRun, input?: unknown): void => {
		const kind = kinds.get(run.operation);
		if (kind === undefined) return; // its lease ends, and another node takes it
		if (stopping.signal.aborted) return void letGoOfRun(db, run).catch(() => undefined); // or its lease ends
		const given = new AbortController();
		const hand: RunInHand = { run, input, db, stopping: stopping.signal, given, progress: null };
		const told = (error: unknown): void => log.warn("a run failed in a step", { operation: run.operation }, error);
		const ended = carry(hand, kind, told)
			.catch(told)
			.finally(() => {
				if (inHand.get(run.runId) === ended) inHand.delete(run.runId);
				if (input !== undefined) inputs--;
			});
		inHand.set(run.runId, ended);
		if (input !== undefined) inputs++;
	};

	/** Runs in hand renew their leases by themselves when the database is back. */
	const takeable = () => ({ operations: [...kinds.keys()], except: [...inHand.keys()] });

	return {
		add: (kind) => void kinds.set(kind.operation, kind),
		carryOut,
		get inputs() {
			return inputs;
		},
		async awaitEnd(runId) {
			const deadline = monotonicMs() + ANSWER_WITHIN_MS;
			await Promise.race([inHand.get(runId) ?? Promise.resolve(), sleep(ANSWER_WITHIN_MS)]);
			for (;;) {
				const run = await selectRun(readDb, runId);
				if (run === null || run.status !== "running" || monotonicMs() >= deadline) return run;
				await sleep(LOOK_AGAIN_MS);
			}
		},
		async takeOver() {
			if (stopping.signal.aborted) return;
			for (const { done, of, state: _state, ...run } of await takeRuns(db, takeable(), TAKEN_AT_ONCE)) {
				log.info("a run of a node that is gone was taken over", { operation: run.operation });
				const kind = kinds.get(run.operation);
				if (kind !== undefined && "next" in kind) carryOut(run);
				else await fail(db, run, { code: "internal_error", message: goneMessage(done, of) });
			}
		},
		async stop() {
			stopping.abort();
			await Promise.race([Promise.all(inHand.values()), sleep(STOP_WITHIN_MS)]);
		},
	};
}

const fail = (db: Query, run: HeldRun, error: RunError): Promise<unknown> =>
	endRun(db, run, { status: "failed", result: null, error });

async function carry(hand: RunInHand, kind: AnyRunKind, told: (error: unknown) => void): Promise<void> {
	const ended = new AbortController();
	const renewed = renewUntil(hand, ended.signal);
	try {
		await ("next" in kind ? carryOutSteps(hand, kind, told) : carryOutWork(hand, kind, told));
	} finally {
		ended.abort();
		await renewed;
		if (hand.stopping.aborted) await letGoOfRun(hand.db, hand.run);
	}
}

/** Keeps the progress for the next renewal. */
const noteOf =
	(hand: RunInHand) =>
	(done: number, of: number | null): void => {
		hand.progress = { done, of };
	};

/** Renews the lease at intervals, writes progress, and notices when the run must stop or another node has it. */
async function renewUntil(hand: RunInHand, ended: AbortSignal): Promise<void> {
	for (;;) {
		await sleep(RENEW_EVERY_MS, ended);
		if (ended.aborted) return;
		const { done, of } = hand.progress ?? { done: null, of: null };
		try {
			const stopAsked = await renewRun(hand.db, hand.run, { done, of });
			if (stopAsked !== false) hand.given.abort();
		} catch {
			// the database is away: the lease lasts for several renewals
		}
	}
}

type Stepping = Extract<AnyRunKind, { readonly next: unknown }>;
type Working = Extract<AnyRunKind, { readonly work: unknown }>;
/** The result of a step. `lost`: another node has the run. */
type AfterStep = { readonly memo: unknown } | "ended" | "lost" | Refusal;

async function carryOutSteps(hand: RunInHand, kind: Stepping, told: (error: unknown) => void): Promise<void> {
	let memo: unknown;
	let more: unknown;
	for (let [tries, waits] = [0, 0]; !hand.stopping.aborted; ) {
		try {
			const after = await oneStep(hand, kind, { memo, more });
			if (isRefusal(after)) return void (await failFor(hand, after));
			if (after === "ended" || after === "lost") return;
			({ memo } = after);
			more = undefined;
			tries = waits = 0;
		} catch (error) {
			const isLast = (): boolean => (isLockTimeout(error) ? ++waits === MAX_LOCK_WAITS : ++tries === MAX_TRIES);
			if (!isConnectionLoss(error) && isLast()) {
				told(error);
				await fail(hand.db, hand.run, { code: "internal_error", message: messageOf(error) });
				return;
			}
			if (error instanceof NeedsMoreLocks) more = error.more;
			else {
				memo = undefined; // the memo may be out of date
				await sleep(TRY_AGAIN_MS, hand.stopping);
			}
		}
	}
}

const failFor = ({ db, run }: RunInHand, { refusal: code, message }: Refusal): Promise<unknown> =>
	fail(db, run, { code, message });

/** One step and its record, in one transaction: it is done exactly once, whichever node carries it out. */
async function oneStep(
	hand: RunInHand,
	kind: Stepping,
	{ memo, more }: { readonly memo: unknown; readonly more: unknown },
): Promise<AfterStep> {
	const { db, run, input } = hand;
	const { runId, actor, requestId } = run;
	const note = noteOf(hand);
	try {
		return await transaction<AfterStep>(db, async (tx) => {
			const begin = await lockStep(tx, run);
			if (begin === null) return "lost";
			if (begin.stopAsked) {
				await endRun(tx, run, { status: "stopped", result: null, error: null });
				return "ended";
			}
			const step = await kind.next(tx, begin.state, { runId, actor, requestId, memo, more, input, note });
			if (isRefusal(step)) throw new RefusedStep(step);
			if (!(await saveStep(tx, run, step))) throw new LostRun("another node has the run");
			return step.isEnd ? "ended" : { memo: step.memo };
		});
	} catch (error) {
		if (error instanceof RefusedStep) return error.refusal;
		if (error instanceof LostRun) return "lost";
		throw error;
	}
}

/** Rolls a step back. */
class LostRun extends Error {}
class RefusedStep extends Error {
	readonly refusal: Refusal;
	constructor(refusal: Refusal) {
		super(refusal.message);
		this.refusal = refusal;
	}
}

async function carryOutWork(hand: RunInHand, kind: Working, told: (error: unknown) => void): Promise<void> {
	const { db, run, stopping, given } = hand;
	const { runId, actor, requestId } = run;
	// a lost connection fails neither the beginning nor the end of work that may last an hour
	const written = <T>(work: () => Promise<T>): Promise<T> => patiently(work, LEASE_MS);
	const begin = await written(() => transaction(db, (tx) => lockStep(tx, run)));
	if (begin === null) return;
	let result: object | Refusal;
	try {
		const note = noteOf(hand);
		const signal = AbortSignal.any([stopping, given.signal]);
		result = await kind.work(begin.state, { runId, actor, requestId, note, signal });
	} catch (error) {
		if (given.signal.aborted)
			return void (await written(() => endRun(db, run, { status: "stopped", result: null, error: null })));
		const message = stopping.aborted
			? "The service stopped before this run was done. Start it again."
			: messageOf(error);
		if (!stopping.aborted) told(error);
		return void (await written(() => fail(db, run, { code: "internal_error", message })));
	}
	if (isRefusal(result)) return void (await written(() => failFor(hand, result)));
	const { done, of } = hand.progress ?? { done: null, of: null };
	await written(() => renewRun(db, run, { done, of }));
	await written(() => endRun(db, run, { status: "done", result, error: null }));
}
