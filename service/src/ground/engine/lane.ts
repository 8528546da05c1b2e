import { asError, must } from "../lib/assert.ts";
import { type Settled, TOO_MANY_WAIT } from "../lib/batcher.ts";
import { monotonicMs, sleep } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Refusal } from "../lib/refusal.ts";
import { rolledBack } from "../pg/commit.ts";
import { OutcomeUnknown } from "../pg/evidence.ts";
import { AnswerTooLate, isConflict, isConnectionLoss, isLockTimeout, lacksMeans } from "../pg/faults.ts";
import { RECONNECT_PAUSE_MS } from "../pg/patience.ts";
import { BEGIN_TEXT } from "../pg/transaction.ts";
import { type Means, runBatch, StaleStanding } from "./batch.ts";
import type { EngineAnswer } from "./engine.ts";
import type { KnownLocks } from "./known-locks.ts";
import { LASTING_CONFLICT } from "./lasting-conflict.ts";
import { type Blocked, NeedsMoreLocks, type Pending } from "./steps.ts";

/** Number of times a batch is run again after a conflict before it is run in halves. */
const MAX_CONFLICTS = 3;
/** Number of times a single command is run again after a conflict before its caller is refused. */
const MAX_CONFLICTS_ALONE = 5;
/** Number of times a batch is retried unchanged after a late answer; the usual cause is a silent connection. */
const MAX_SILENCES = 1;
/** Maximum number of times a batch begins again because it needs more rows than it locked. */
const MAX_OPENINGS = 8;
/**
 * Milliseconds from a command's arrival that it waits while the database is away. Longer than the deadline: a crash
 * recovery usually takes a few seconds, and the caller then gets an answer instead of an error.
 */
const OUTAGE_PATIENCE_MS = 7_000;
/** Minimum milliseconds to query the outcome of a lost COMMIT, however long its commands had waited. */
const OUTCOME_PATIENCE_MS = 2_500;
/** Milliseconds between two checks of rows that another transaction keeps locked. */
const SET_ASIDE_AGAIN_MS = 50;

/** Runs batches, repeatedly and in parts where that helps, until each of their commands has an answer. */
export interface Lane<C, A> {
	run(pending: readonly Pending<C>[]): Promise<Settled<EngineAnswer<A>>[]>;
}

export interface LaneOptions<C, A> {
	readonly deadlineMs: number;
	/** Milliseconds that a statement waits for a locked row. `again`: these commands already had a conflict. */
	lockWaitMs(again: boolean): number;
	/** Moves a command blocked by a locked row to the side lane. Returns the promise of its answer. */
	setAside(one: Pending<C>): Promise<EngineAnswer<A>>;
	/** Whether the command must be set aside before anything is tried. */
	belongsAside?(one: Pending<C>): boolean;
	/** Checks for locked rows first, so that no transaction waits for one row while it keeps others locked. */
	readonly checksLocks?: true;
	readonly locks: KnownLocks<C>;
}

type Answers<C, A> = Map<Pending<C>, Settled<EngineAnswer<A>>>;

/** One run of a lane: its dependencies and the answers so far. */
interface Run<C, A, B, M> {
	readonly means: Means<C, A, B, M>;
	readonly options: LaneOptions<C, A>;
	readonly answers: Answers<C, A>;
}

/** The failures of one group so far. */
interface Attempts<M> {
	conflicts: number;
	/** Answers that came too late. */
	silences: number;
	openings: number;
	more: M | undefined;
}

export function createLane<C, A, B, M>(means: Means<C, A, B, M>, options: LaneOptions<C, A>): Lane<C, A> {
	return {
		async run(pending) {
			const answers: Answers<C, A> = new Map();
			const run = { means, options, answers };
			if (options.checksLocks) await setLockedOutAside(run, pending);
			await runGroup(run, pending);
			return pending.map((one) => must(answers.get(one), "an answer"));
		},
	};
}

/** Runs the unanswered commands of a group until each has its answer. */
async function runGroup<C, A, B, M>(run: Run<C, A, B, M>, group: readonly Pending<C>[]): Promise<void> {
	const { means, options, answers } = run;
	const attempts: Attempts<M> = { conflicts: 0, silences: 0, openings: 0, more: undefined };
	for (;;) {
		const live = sortOut(run, group);
		if (live.length === 0) return;
		const now = monotonicMs();
		const first = Math.min(...live.map(({ arrivedAt }) => arrivedAt));
		const got = await runBatch(means, live, {
			more: attempts.more,
			lockWaitMs: options.lockWaitMs(attempts.conflicts > 0),
			patientUntil: Math.max(first + OUTAGE_PATIENCE_MS, now + OUTCOME_PATIENCE_MS),
		}).catch((error: unknown) => new Failed(error));
		if (!(got instanceof Failed)) {
			for (const [index, one] of live.entries()) answers.set(one, must(got[index], "an answer"));
			means.hooks.onBatch?.(live.length, monotonicMs() - now);
			options.locks.carriedOut(live.map(({ command }) => command));
			return;
		}
		if (await recover(run, live, attempts, got.error)) continue;
		if (live.length === 1 || isOfAll(got.error)) {
			for (const one of live) answers.set(one, answerTo(got.error));
			return;
		}
		// one command is at fault: the others must not fail with it
		const middle = live.length >> 1;
		await runGroup(run, live.slice(0, middle));
		await runGroup(run, live.slice(middle));
		return;
	}
}

class Failed {
	readonly error: unknown;
	constructor(error: unknown) {
		this.error = error;
	}
}

/** Answers commands that are too late, sets aside those for the side lane, and returns the rest. */
function sortOut<C, A, B, M>({ options, answers }: Run<C, A, B, M>, group: readonly Pending<C>[]): Pending<C>[] {
	const left: Pending<C>[] = [];
	for (const one of group) {
		if (answers.has(one)) continue;
		if (isLate(one, options.deadlineMs)) answers.set(one, answerLate(one));
		else if (options.belongsAside?.(one)) answerLater(answers, one, options.setAside(one));
		else left.push(one);
	}
	return left;
}

/** Reacts to an error and returns whether another attempt may help. Records the answers it finds. */
async function recover<C, A, B, M>(
	run: Run<C, A, B, M>,
	live: readonly Pending<C>[],
	attempts: Attempts<M>,
	error: unknown,
): Promise<boolean> {
	if (error instanceof NeedsMoreLocks) {
		attempts.more = error.more as M;
		return ++attempts.openings < MAX_OPENINGS;
	}
	for (const one of live) one.trouble = error;
	if (error instanceof StaleStanding) {
		await refreshStandings(run.answers, live);
		return true;
	}
	run.means.hooks.onTrouble?.("batch rolled back", error);
	if (isOfAll(error)) return false;
	if (isConnectionLoss(error)) {
		// one command may be too slow for the server: running the batch in halves will find it
		if (error instanceof AnswerTooLate && ++attempts.silences > MAX_SILENCES && live.length > 1) return false;
		await sleep(RECONNECT_PAUSE_MS);
		return true;
	}
	if (!isConflict(error)) return false;
	attempts.conflicts++;
	if (isLockTimeout(error) && (await setBlockedAside(run, live, attempts.conflicts))) return true;
	return attempts.conflicts <= (live.length === 1 ? MAX_CONFLICTS_ALONE : MAX_CONFLICTS);
}

/** Sets aside the commands whose rows another transaction keeps locked. False if there are none. */
async function setBlockedAside<C, A, B, M>(
	{ means, options, answers }: Run<C, A, B, M>,
	live: readonly Pending<C>[],
	conflicts: number,
): Promise<boolean> {
	const blocked = await findBlocked(means, live).catch(() => null);
	if (blocked !== null) options.locks.found(blocked);
	// if the lock is never found, all commands move to the side lane, where their wait disturbs no others
	const stuck = conflicts > MAX_CONFLICTS ? live : live.filter(({ command }) => blocked?.(command));
	// in the side lane they pause before they are tried again, so that others can lock the rows in between
	const setAside = (one: Pending<C>) =>
		options.checksLocks ? sleep(SET_ASIDE_AGAIN_MS).then(() => options.setAside(one)) : options.setAside(one);
	for (const one of stuck) answerLater(answers, one, setAside(one));
	return stuck.length > 0;
}

/**
 * Makes commands that need locked rows, and the commands that must follow them, wait again, unless they are too late.
 */
async function setLockedOutAside<C, A, B, M>(
	{ means, options, answers }: Run<C, A, B, M>,
	pending: readonly Pending<C>[],
): Promise<void> {
	const { locks } = options;
	// if the check fails, the attempt itself will fail with the cause
	const blocked = await findBlocked(means, pending).catch(() => null);
	if (blocked !== null) locks.found(blocked);
	for (const one of pending) {
		if (!blocked?.(one.command) && locks.isNext(one.command)) continue;
		one.trouble = new RowKeptLocked();
		if (isLate(one, options.deadlineMs)) continue;
		const again = sleep(SET_ASIDE_AGAIN_MS).then(() => options.setAside(one));
		answerLater(answers, one, again);
	}
}

/** Records the promise of an answer, which may reject before the run ends and its caller awaits it. */
function answerLater<C, A>(answers: Answers<C, A>, one: Pending<C>, answer: Promise<EngineAnswer<A>>): void {
	answer.catch(() => undefined);
	answers.set(one, answer);
}

/** Another transaction keeps a needed row locked. */
class RowKeptLocked extends Error {}

/** Runs in a separate transaction, which is rolled back: that of the failed batch is unusable. */
async function findBlocked<C, A, B, M>(
	{ db, steps }: Means<C, A, B, M>,
	live: readonly Pending<C>[],
): Promise<Blocked<C> | null> {
	return await db.onOne(async (client) => {
		try {
			await client.query(BEGIN_TEXT);
			return await steps.findBlocked(
				client,
				live.map(({ command }) => command),
			);
		} finally {
			await rolledBack(client);
		}
	});
}

/** Errors that no command of the batch caused: halves would fail too. */
const isOfAll = (error: unknown): boolean =>
	error instanceof OutcomeUnknown || error instanceof OperatorError || lacksMeans(error);

async function refreshStandings<C, A>(answers: Answers<C, A>, live: readonly Pending<C>[]): Promise<void> {
	let failure: Error | null = null;
	for (const one of live) {
		// all requesters use the same key cache: after the first confirmation it is fresh for all of them, or could not
		// be read
		if (one.requester?.inForce() !== "stale") continue;
		failure ??= await one.requester.confirm().then(
			() => null,
			(error: unknown) => asError(error),
		);
		if (failure !== null) answers.set(one, failure);
	}
}

const isLate = ({ arrivedAt, trouble }: Pending<unknown>, deadlineMs: number): boolean =>
	monotonicMs() - arrivedAt > (isConnectionLoss(trouble) ? Math.max(deadlineMs, OUTAGE_PATIENCE_MS) : deadlineMs);

/** Nothing was done; the answer gives the reason known from the last attempt. */
const answerLate = <A>({ trouble }: Pending<unknown>): EngineAnswer<A> | Error =>
	trouble === null ? TOO_MANY_WAIT : answerTo(trouble);

function answerTo(error: unknown): Refusal<"retry"> | Error {
	const conflict = isConflict(error) || error instanceof RowKeptLocked || error instanceof NeedsMoreLocks;
	return conflict ? LASTING_CONFLICT : asError(error);
}
